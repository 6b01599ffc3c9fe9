// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

@Generable
private struct Reading {
  var taken: Date
  var value: Double
  var exact: Decimal
}

@Suite struct PartiallyGeneratedTests {
  @Test func propertiesAppearInOrder() throws {
    let json =
      #"{"title":"Trip","days":[{"title":"One","activities":[{"type":"shopping","title":"Buy"}]}]}"#
    var parser = GeneratedContentParser()
    var titles: [String?] = []
    var kinds: [Activity.Kind?] = []
    for byte in json.utf8 {
      try parser.append([byte])
      let partial = try Itinerary.PartiallyGenerated(parser.content)
      if titles.last != partial.title { titles.append(partial.title) }
      let kind = partial.days?.first?.activities?.first?.type
      if kinds.last != kind { kinds.append(kind) }
    }
    #expect(titles == [nil, "", "T", "Tr", "Tri", "Trip"])
    #expect(kinds == [nil, .shopping])
  }

  @Test func identityIsStable() throws {
    let json = #"{"title":"Trip","days":[{"title":"One"},{"title":"Two"}]}"#
    var parser = GeneratedContentParser()
    var rootIdentities: Set<GenerationID> = []
    var dayIdentities: [Set<GenerationID>] = [[], []]
    for byte in json.utf8 {
      try parser.append([byte])
      guard parser.content.isStarted else { continue }
      let partial = try Itinerary.PartiallyGenerated(parser.content)
      rootIdentities.insert(partial.id)
      for (index, day) in (partial.days ?? []).enumerated() { dayIdentities[index].insert(day.id) }
    }
    #expect(rootIdentities.count == 1)
    #expect(dayIdentities.map(\.count) == [1, 1])
    #expect(rootIdentities.union(dayIdentities[0]).union(dayIdentities[1]).count == 3)
  }

  @Test func aCaseIsNotGuessed() throws {
    // The beginning of "paper crane" is no case, and that of "point" might be "pointless".
    #expect(try Origami.PartiallyGenerated(GeneratedContent(json: #""frog""#)) == .frog)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Origami.PartiallyGenerated(GeneratedContent(json: #""frog"#))
    }
  }

  @Test func payloadsAppearOneByOne() throws {
    let partial = try Encounter.PartiallyGenerated(
      GeneratedContent(json: #"{"type":"wantToTalkToManager","complaint":"col"#))
    guard case .wantToTalkToManager(let complaint, let level) = partial else {
      Issue.record("\(partial)")
      return
    }
    #expect(complaint == "col")
    #expect(level == nil)
  }

  @Test func wholeValuesAsPartialOnes() throws {
    let partial = DayPlan(title: "a", subtitle: "b", destination: "c", activities: [])
      .asPartiallyGenerated()
    #expect(partial.title == "a")
    #expect(partial.activities?.isEmpty == true)
  }

  @Test func valuesThatJSONCannotSay() {
    for time in [Double.infinity, -.infinity, .nan, 1e20, 0] {
      let reading = Reading(
        taken: Date(timeIntervalSinceReferenceDate: time), value: .nan, exact: .nan)
      let partial = reading.asPartiallyGenerated()
      let read = partial.taken?.timeIntervalSinceReferenceDate
      #expect(time.isNaN ? read?.isNaN == true : read == time)
      #expect(partial.value?.isNaN == true && partial.exact?.isNaN == true)
    }
  }
}

extension GeneratedContent {
  fileprivate var isStarted: Bool { if case .null = kind { false } else { true } }
}
