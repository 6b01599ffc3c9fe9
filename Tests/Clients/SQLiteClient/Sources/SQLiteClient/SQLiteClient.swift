// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import EspalierSQLite
import Foundation

@main
struct SQLiteClient {
  static func main() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
    let store = try SQLiteConversationStore(file: file)
    print(try await store.create(title: "Kyoto").title)
  }
}
