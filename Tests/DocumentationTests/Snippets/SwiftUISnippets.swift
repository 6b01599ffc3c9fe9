// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The view of "Building a real app", for systems that have SwiftUI. On Linux nothing of it is compiled.
#if canImport(SwiftUI)
  import Espalier
  import SwiftUI

  struct OrderView: View {
    let session: LanguageModelSession
    @State private var order: Order.PartiallyGenerated?
    @State private var problem: String?

    var body: some View {
      VStack {
        Text("\(order?.count ?? 0) × \(order?.item ?? "…")")
        if let problem { Text(problem) }
        Button("Order") { Task { await ask() } }
          .disabled(session.isResponding)
      }
    }

    private func ask() async {
      problem = nil
      do {
        let stream = session.streamResponse(to: "Six rolls for Leo", generating: Order.self)
        for try await snapshot in stream { order = snapshot.content }
      } catch is CancellationError {
      } catch {
        problem = error.localizedDescription
      }
    }
  }
#endif
