// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

// Views of what is there so far, in a file that the compiler reads before the one that declares the
// types: the types are asked for their partial forms before anything else. `JourneyTypes.swift`
// comes later in the alphabet.

struct StopRow {
  let stop: JourneyStop.PartiallyGenerated

  var body: String { "\(stop.name ?? "…"): \(stop.mood.map { "\($0)" } ?? "…")" }
}

struct JourneyView {
  var journey: Journey.PartiallyGenerated?
  var selected: [JourneyStop.PartiallyGenerated] = []
  var transport: JourneyTransport.PartiallyGenerated?

  var rows: [String] { (journey?.stops ?? []).map { StopRow(stop: $0).body } }

  mutating func show(_ related: [Journey.PartiallyGenerated]) -> Int {
    selected = related.flatMap { $0.stops ?? [] }
    return related.compactMap(\.title).count
  }
}

struct FamilyTree {
  var root: Person.PartiallyGenerated?
  var pets: Pet.PartiallyGenerated?

  func count(_ person: Person.PartiallyGenerated) -> Int {
    1 + (person.children ?? []).map(count).reduce(0, +)
  }
}
