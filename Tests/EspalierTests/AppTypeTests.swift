// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation
import Testing

@Generable
private struct HiddenNote: Equatable {
  var text: String
}

private enum Vault {
  @Generable
  fileprivate struct Secret {
    private var code: [Int]
  }

  static func roundTrip(_ json: String) throws -> String {
    try Secret(GeneratedContent(json: json)).generatedContent.jsonString
  }
}

private struct Diary {
  @Generable
  fileprivate struct Entry: Equatable {
    var text: String
  }
}

@Suite struct AppTypeTests {
  private func roundTrip<Value: Generable & Equatable>(_ value: Value) throws {
    #expect(try Value(value.generatedContent) == value)
    let json = value.generatedContent.jsonString
    #expect(try Value(GeneratedContent(json: json)) == value)
    #expect(try GeneratedContent(json: json).jsonString == json)
  }

  @Test func structures() throws {
    let activity = Activity(type: .foodAndDining, title: "Ramen", description: "Hot")
    let day = DayPlan(
      title: "One", subtitle: "Arrive", destination: "Kyoto", activities: [activity])
    try roundTrip(
      Itinerary(
        title: "Trip", destinationName: "Serengeti", description: "d", rationale: "r", days: [day]))
    try roundTrip(
      PlaceSearch(
        category: "museum", limit: 3, radius: nil, tags: ["quiet"], postcode: "12345",
        version: "v1"))
    try roundTrip(RenamedNote(id: "1", default: "a", text: "b"))
    try roundTrip(HiddenNote(text: "hidden"))
    try roundTrip(Diary.Entry(text: "private"))
    try roundTrip(Weather(temperature: 21.5, summary: "fair", given: "x"))
    try roundTrip(Conditional(always: 1, sometimes: "s"))
    try roundTrip(Empty())
    try roundTrip(
      TreeNode(
        name: "a", children: [TreeNode(name: "b", children: [])],
        notes: ["n": TreeNode(name: "c", children: [])]))
  }

  @Test func enumerations() throws {
    for rating in Rating.allCases { try roundTrip(rating) }
    for origami in Origami.allCases { try roundTrip(origami) }
    try roundTrip(Priority.high)
    #expect(Priority.high.generatedContent.jsonString == #""high""#)
    #expect(Origami.crane.generatedContent.jsonString == #""paper crane""#)
    try roundTrip(Encounter.orderCoffee("flat white"))
    try roundTrip(Encounter.wantToTalkToManager(complaint: "cold", 3))
    try roundTrip(Encounter.point(x: 1.5, y: nil))
    try roundTrip(Encounter.nothing)
    try roundTrip(Expression.sum(.number(1), .negative(of: .number(2))))
    try roundTrip(Chain.link(value: 1, next: .link(value: 2, next: nil)))
    #expect(
      Encounter.wantToTalkToManager(complaint: "cold", 3).generatedContent.jsonString
        == #"{"type":"wantToTalkToManager","complaint":"cold","level":3}"#)
  }

  @Test func typesBeyondApples() throws {
    try roundTrip(
      Booking(
        when: Date(timeIntervalSinceReferenceDate: 800_000_000.125),
        link: URL(string: "https://example.com/a?b=c"), reference: UUID(),
        ticket: Data([0, 255, 7]), extras: ["b": 1, "a": 2], days: ["mon", "tue"], small: 255,
        large: .max, price: Decimal(string: "12345678901234567890.12345") ?? 0, share: 0.25,
        minutes: 15, name: "Ada", contact: "a@example.com", seats: [1, 2]))
  }

  @Test func nilIsLeftOutUnlessItIsToBeSaid() {
    #expect(
      Conditional(always: 1, sometimes: nil).generatedContent.jsonString == #"{"always":1}"#)
    let search = PlaceSearch(
      category: "museum", limit: 3, radius: nil, tags: nil, postcode: "1", version: "v1")
    #expect(search.generatedContent.jsonString.contains(#""radius":null,"tags":null"#))
  }

  @Test func genericsAndAvailability() throws {
    let page = try Page<Rating>(GeneratedContent(json: #"{"items":["fair"],"next":{"token":"t"}}"#))
    #expect(page.items == [.fair])
    #expect(page.next?.token == "t")
    if #available(macOS 26, iOS 26, *) {
      #expect(try Modern(GeneratedContent(json: #"{"value":3}"#)).value == 3)
    }
  }

  @Test func typesThatAreHiddenInOthers() throws {
    #expect(try Vault.roundTrip(#"{"code":[1,2]}"#) == #"{"code":[1,2]}"#)
  }

  @Test func unknownCasesSayWhatTheyAre() throws {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try Rating(GeneratedContent("awful"))
    }
    #expect(error?.debugDescription == "Unexpected value \"awful\" for Rating")
    #expect(error?.rawContent == "\"awful\"")
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Encounter(GeneratedContent(json: #"{"type":"fly"}"#))
    }
  }

  @Test func errorsSayWhere() throws {
    let json =
      #"{"title":"t","subtitle":"s","destination":"d","activities":[{"type":"shopping","title":5}]}"#
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try DayPlan(GeneratedContent(json: json))
    }
    #expect(error?.location == "/activities/0/title")
    #expect(error?.rawContent == "5")
    #expect(error?.debugDescription == "Expected a string, found a number.")
  }
}
