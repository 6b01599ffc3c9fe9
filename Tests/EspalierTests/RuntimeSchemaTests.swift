// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Testing

@Suite struct RuntimeSchemaTests {
  @Test func schemasMadeAtRunTime() throws {
    let schema = try dinnerSchema(soups: ["Tomato", "Leek"], isVegetarian: true)
    #expect(
      try schema.jsonSchema().contains(
        ##""dailySoup":{"type":"string","enum":["Tomato","Leek"]}"##))
    let content = try GeneratedContent(
      json: #"{"dailySoup":"Leek","price":4.5,"sides":["bread"],"guest":"Ada"}"#)
    #expect(try describe(content) == "Leek 4.5 1 4 4")
  }

  @Test func conformancesWrittenByHand() throws {
    #expect(try Temperature(GeneratedContent(json: #"{"degrees":21.5}"#)).degrees == 21.5)
    #expect(
      try Temperature.generationSchema.jsonSchema().contains(##""pattern":"^(?:[A-Z]{4})$""##))
    #expect(try GeneratedContent(json: "[3]").value([Distance].self).map(\.kilometres) == [3])
  }

  @Test func promptsOfValues() throws {
    let itinerary = Itinerary(
      title: "t", destinationName: "Kyoto", description: "d", rationale: "r",
      days: [DayPlan(title: "a", subtitle: "b", destination: "c", activities: [])])
    let (prompt, instructions) = prompts(for: itinerary, notes: ["One", "Two"], isBrief: true)
    #expect(
      prompt.parts.text.hasPrefix("Generate a 3-day itinerary to Kyoto.\nBe brief.\nOne\nTwo"))
    #expect(prompt.parts.text.hasSuffix(itinerary.generatedContent.jsonString))
    #expect(instructions.parts.text.hasSuffix(itinerary.days[0].generatedContent.jsonString))
  }
}
