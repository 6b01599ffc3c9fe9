import Espalier

@Generable(description: "A trip")
struct Itinerary {
  @Guide(description: "Title") var title: String
  @Guide(.count(3)) var days: [Day]
  @Guide(description: "Rating", .range(1...5)) var rating: Int
  var note: String?
  @Guide(/[A-Z]{3}/) var code: String
  let kind: Kind
  let id = 5
}
@Generable struct Day {
  var name: String
  var activities: [Activity]
}
@Generable enum Kind { case city, beach }
@Generable enum Activity: Equatable {
  case walk(minutes: Int)
  case eat(String, at: String?)
  case rest
}
