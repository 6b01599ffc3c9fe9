import ArgumentParser
import Espalier

/// `travel-companion itinerary Kyoto --days 3`
struct ItineraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "itinerary", abstract: "Plan a journey day by day.")

  @Argument(help: "Where to go.") var destination: String
  @Option(help: "How many days, from 1 to 30.") var days = 3
  @Option(help: "culturale, relax, avventura or gastronomico; the model's choice if left out.")
  var style: TravelStyle?
  @Option(help: "The language of the answer.") var language = Language.english
  @OptionGroup var model: ModelOptions
  @Flag(help: "Print the itinerary as JSON.") var json = false

  func validate() throws {
    guard (1...30).contains(days) else {
      throw ValidationError("--days is a number from 1 to 30; found \(days)")
    }
    guard !destination.isEmpty else { throw ValidationError("the destination is empty") }
  }

  func run() async throws {
    let model = model.make()
    let session = LanguageModelSession(
      model: model, instructions: language.instructions)
    let schema = try Itinerary.schema(destination: destination, days: days, style: style)
    let stream = session.streamResponse(
      to: language.request(destination: destination, days: days), schema: schema)
    var view = LiveView(isLive: !json)
    var last: GeneratedContent?
    for try await snapshot in stream {
      last = snapshot.rawContent
      if let partial = try? Itinerary.PartiallyGenerated(snapshot.rawContent) {
        view.show(lines(partial))
      }
    }
    guard let content = last else { return }
    let itinerary = try Itinerary(content)
    if json {
      print(content.jsonString)
    } else {
      view.finish(lines(itinerary.asPartiallyGenerated()))
      print("\n\(self.model.description)")
    }
  }

  /// What is known of an itinerary, as lines of text.
  private func lines(_ itinerary: Itinerary.PartiallyGenerated) -> [String] {
    var lines: [String] = []
    if let destination = itinerary.destination {
      let days = itinerary.totalDays.map { " · \($0) \(language.days)" } ?? ""
      let style = itinerary.travelStyle.map { " · \($0.rawValue)" } ?? ""
      lines.append("\(destination)\(days)\(style)")
    }
    for plan in itinerary.dailyPlans ?? [] {
      lines.append("")
      lines.append("\(plan.dayNumber.map { "\($0). " } ?? "")\(plan.theme ?? "…")")
      let parts: [(String, String?)] = [
        ("☀", plan.morning), ("🍜", plan.lunchArea), ("⛅", plan.afternoon),
        ("🍽", plan.dinnerArea), ("🌙", plan.evening), ("🚌", plan.transportNotes),
      ]
      for case (let sign, let text?) in parts { lines.append("   \(sign) \(text)") }
    }
    for area in itinerary.overview ?? [] {
      lines.append("")
      lines.append("\(area.area ?? "…")\(area.days.map { " · \($0) \(language.days)" } ?? "")")
      if let summary = area.summary { lines.append("   \(summary)") }
    }
    if let tips = itinerary.generalTips, !tips.isEmpty {
      lines.append("")
      for tip in tips { lines.append(" • \(tip)") }
    }
    return lines
  }
}

extension TravelStyle: ExpressibleByArgument {}

/// The languages that the companion speaks.
enum Language: String, ExpressibleByArgument, CaseIterable {
  case english, italiano

  var instructions: String {
    switch self {
    case .english: "You plan journeys. Answer in English, with places that exist."
    case .italiano: "Pianifichi viaggi. Rispondi in italiano, con luoghi che esistono."
    }
  }

  func request(destination: String, days: Int) -> String {
    switch self {
    case .english: "Plan \(days) days in \(destination)."
    case .italiano: "Pianifica \(days) giorni a \(destination)."
    }
  }

  var days: String { self == .english ? "days" : "giorni" }
}
