// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import TestSupport
import Testing

@Suite struct BuiltInConformanceTests {
  private func roundTrip<Value: Generable & Equatable>(
    _ value: Value, _ comment: Comment? = nil
  ) throws {
    #expect(try Value(value.generatedContent) == value, comment)
    #expect(
      try Value(GeneratedContent(json: value.generatedContent.jsonString)) == value, comment)
  }

  private func checkInteger<Value: FixedWidthInteger & Generable>(_ type: Value.Type) throws {
    for value in [Value.min, .max, 0, 1, Value.max / 3] { try roundTrip(value) }
  }

  @Test func integers() throws {
    try checkInteger(Int.self)
    try checkInteger(Int8.self)
    try checkInteger(Int16.self)
    try checkInteger(Int32.self)
    try checkInteger(Int64.self)
    try checkInteger(Int128.self)
    try checkInteger(UInt.self)
    try checkInteger(UInt8.self)
    try checkInteger(UInt16.self)
    try checkInteger(UInt32.self)
    try checkInteger(UInt64.self)
    try checkInteger(UInt128.self)
    #expect(
      try UInt8.generationSchema.jsonSchema()
        == #"{"type":"integer","minimum":0,"maximum":255}"#)
    #expect(try Int.generationSchema.jsonSchema() == #"{"type":"integer"}"#)
  }

  @Test(arguments: 0..<300)
  func numbersAndText(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let double = Double(bitPattern: generator.next())
    if double.isFinite { try roundTrip(double, "seed \(seed)") }
    let float = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
    if float.isFinite { try roundTrip(float, "seed \(seed)") }
    var random = RandomJSON(seed: seed)
    try roundTrip(random.string(), "seed \(seed)")
    let digits = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
      String(Int.random(in: 0...9, using: &generator))
    }.joined()
    try roundTrip(Decimal(string: "\(digits).\(digits.prefix(7))") ?? 0, "seed \(seed)")
  }

  @Test func valuesThatJSONCannotSay() throws {
    #expect(try Double(Double.infinity.generatedContent) == .infinity)
    #expect(Double.nan.asPartiallyGenerated().isNaN)
    #expect(Double.nan.generatedContent.jsonString == "null")
    #expect(Double(Int64.min).generatedContent.jsonString == "-9.223372036854776e+18")
  }

  @Test(arguments: 0..<300)
  func dates(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let time = Double.random(in: -60_000_000_000...60_000_000_000, using: &generator)
    try roundTrip(Date(timeIntervalSinceReferenceDate: time), "seed \(seed)")
    try roundTrip(Date(timeIntervalSinceReferenceDate: time.rounded()), "seed \(seed)")
    try roundTrip(Date(timeIntervalSinceReferenceDate: time / 1e10), "seed \(seed)")
    // Foundation reads what we write; before 1582 it has another calendar.
    guard time > -13_000_000_000 else { return }
    let text = Date(timeIntervalSinceReferenceDate: time.rounded()).generatedContent
    let foundation = try Date.ISO8601FormatStyle().parse(String(text))
    #expect(foundation.timeIntervalSinceReferenceDate == time.rounded(), "seed \(seed)")
  }

  @Test(arguments: [
    ("2026-11-21T08:30:00Z", 816_942_600), ("2026-11-21T08:30:00.25+02:00", 816_935_400.25),
    ("2026-11-21t08:30:00-00:30", 816_944_400), ("2026-11-21", 816_912_000),
    ("2016-12-31T23:59:60Z", 504_921_600), ("2000-02-29T00:00:00Z", -26_524_800),
  ])
  func datesAsOthersWriteThem(text: String, time: Double) throws {
    #expect(try Date(GeneratedContent(text)).timeIntervalSinceReferenceDate == time)
  }

  @Test(arguments: [
    "", "2026-13-01", "2026-02-29", "2026-11-21T24:00:00Z", "2026-11-21T08:30:00", "yesterday",
    "2026-11-21T08:30:00+25:00",
  ])
  func textsThatAreNoDates(text: String) {
    #expect(throws: GeneratedContent.ParsingError.self) { try Date(GeneratedContent(text)) }
  }

  @Test func typesOfFoundation() throws {
    try roundTrip(UUID())
    try roundTrip(Data((0...255).map { UInt8($0) }))
    try roundTrip(try #require(URL(string: "https://example.com/a%20b?c=d#e")))
    #expect(throws: GeneratedContent.ParsingError.self) { try UUID(GeneratedContent("x")) }
    #expect(throws: GeneratedContent.ParsingError.self) { try Data(GeneratedContent("*")) }
    // The beginning of a URL is another.
    #expect(throws: GeneratedContent.ParsingError.self) {
      try URL(GeneratedContent(json: "\"https://example.c"))
    }
  }

  @Test func collections() throws {
    try roundTrip([[1, 2], [], [3]])
    try roundTrip(["b": [1], "a": []])
    try roundTrip(Set(["x", "y", "z"]))
    #expect(["b": 1, "a": 2].generatedContent.jsonString == #"{"a":2,"b":1}"#)
    #expect(Set([3, 1, 2]).generatedContent.jsonString == "[1,2,3]")
    #expect(
      try Set<Int>.generationSchema.jsonSchema()
        == #"{"type":"array","items":{"type":"integer"},"uniqueItems":true}"#)
    #expect(
      try [String: Bool].generationSchema.jsonSchema()
        == #"{"type":"object","additionalProperties":{"type":"boolean"}}"#)
  }

  @Test func partialCollections() throws {
    let content = try GeneratedContent(json: #"{"a":[true,fal"#)
    #expect(try [String: [Bool]].PartiallyGenerated(content) == ["a": [true]])
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try [String: [Bool]](GeneratedContent(json: #"{"a":[true,1]}"#))
    }
    #expect(error?.location == "/a/1")
  }

  @Test func optionals() {
    #expect(Int?.none.generatedContent.jsonString == "null")
    #expect(Int?.some(3).generatedContent.jsonString == "3")
    let _: Int?.PartiallyGenerated = 3
  }

  @Test func neverHasNoValue() throws {
    #expect(try Never.generationSchema.jsonSchema() == "false")
    #expect(throws: GeneratedContent.ParsingError.self) { try Never(GeneratedContent(1)) }
  }
}
