import Espalier
import Testing

@Suite struct ModuleTests {
  @Test func roundTrip() throws {
    let text =
      #"{"title":"A","days":[{"name":"1","activities":[{"type":"walk","minutes":3},{"type":"eat","value":"x"},{"type":"rest"}]}],"rating":3,"code":"ABC","kind":"beach"}"#
    let trip = try Itinerary(GeneratedContent(json: text))
    #expect(trip.generatedContent.jsonString == text)
    _ = try Itinerary.PartiallyGenerated(GeneratedContent(json: String(text.prefix(80))))
  }
}
