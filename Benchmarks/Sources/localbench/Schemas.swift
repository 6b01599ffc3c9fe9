/// Fifty schemas of things that apps ask a model for.
enum Schemas {
  static let all: [(name: String, schema: String)] = [
    ("a true or false answer", #"{"type":"boolean"}"#),
    ("a number of days", integer(1, 31)),
    ("a temperature", #"{"type":"number","minimum":-60,"maximum":60}"#),
    ("a title", text(60)),
    ("a colour", choice("red", "green", "blue", "yellow", "black", "white")),
    ("a list of fruits", list(text(20), 1, 5)),
    ("a date", #"{"type":"string","format":"date"}"#),
    ("a time stamp", #"{"type":"string","format":"date-time"}"#),
    ("an email address", #"{"type":"string","format":"email"}"#),
    ("an identifier", #"{"type":"string","format":"uuid"}"#),
    ("a postal code", #"{"type":"string","pattern":"^[0-9]{5}$"}"#),
    ("a licence plate", #"{"type":"string","pattern":"^[A-Z]{1,3}-[A-Z]{2} [1-9][0-9]{0,3}$"}"#),
    ("a telephone number", #"{"type":"string","pattern":"^\\+[1-9][0-9]{6,14}$"}"#),
    (
      "a version", #"{"type":"string","pattern":"^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$"}"#
    ),
    ("a rating", object(["stars": integer(1, 5), "reason": text(80)])),
    ("a person", object(["name": text(40), "age": integer(0, 120)])),
    (
      "a city",
      object(["name": text(40), "country": text(40), "population": integer(1, 40_000_000)])
    ),
    ("a point", object(["x": number(-1, 1), "y": number(-1, 1)])),
    ("a book", object(["title": text(60), "author": text(40), "year": integer(1450, 2030)])),
    (
      "a film",
      object(["title": text(60), "genres": list(choice("drama", "comedy", "crime"), 1, 3)])
    ),
    (
      "a recipe",
      object([
        "name": text(40), "minutes": integer(1, 300), "ingredients": list(ingredient, 2, 6),
      ])
    ),
    ("an ingredient", ingredient),
    (
      "a task",
      object(["title": text(60), "isDone": #"{"type":"boolean"}"#], optional: ["due": date])
    ),
    ("a calendar event", object(["title": text(40), "start": date, "days": integer(1, 14)])),
    (
      "a weather report",
      object([
        "sky": choice("clear", "cloudy", "rain", "snow"), "celsius": number(-50, 50),
      ])
    ),
    (
      "an order",
      object(["lines": list(object(["item": text(30), "count": integer(1, 99)]), 1, 4)])
    ),
    ("a price", object(["amount": number(0, 10_000), "currency": choice("EUR", "USD", "JPY")])),
    ("a sentiment", object(["label": choice("good", "bad", "neutral"), "score": number(0, 1)])),
    ("a translation", object(["language": choice("de", "fr", "es", "ja"), "text": text(80)])),
    ("a question with answers", object(["question": text(80), "answers": list(text(30), 4, 4)])),
    (
      "a quiz",
      object([
        "questions": list(object(["text": text(60), "answer": #"{"type":"boolean"}"#]), 1, 3)
      ])
    ),
    (
      "a contact",
      object(["name": text(40)], optional: ["email": #"{"type":"string","format":"email"}"#])
    ),
    (
      "a game character",
      object([
        "name": text(24), "level": integer(1, 50),
        "items": list(choice("sword", "shield", "map"), 0, 3),
      ])
    ),
    ("a poem", object(["title": text(40), "lines": list(text(50), 3, 3)])),
    (
      "a medicine",
      object(["name": text(30), "milligrams": integer(1, 1000), "perDay": integer(1, 6)])
    ),
    (
      "a flight",
      object([
        "from": #"{"type":"string","pattern":"^[A-Z]{3}$"}"#,
        "to": #"{"type":"string","pattern":"^[A-Z]{3}$"}"#, "day": date,
      ])
    ),
    (
      "a shape",
      anyOf(
        object(["kind": constant("circle"), "radius": number(0, 100)]),
        object(["kind": constant("square"), "side": number(0, 100)]))
    ),
    ("an answer or a refusal", anyOf(object(["answer": text(80)]), object(["refusal": text(80)]))),
    ("a number or nothing", anyOf(integer(0, 1000), #"{"type":"null"}"#)),
    (
      "a tree",
      ##"{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"},"maxItems":2}},"required":["value","children"],"additionalProperties":false}}}"##
    ),
    (
      "a linked list",
      ##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"value":{"type":"string","maxLength":8},"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["value","next"],"additionalProperties":false}}}"##
    ),
    (
      "a map of scores",
      #"{"type":"object","additionalProperties":{"type":"integer","minimum":0,"maximum":100},"minProperties":1,"maxProperties":3}"#
    ),
    ("an even number", #"{"type":"integer","multipleOf":2,"minimum":0,"maximum":1000}"#),
    (
      "a set of lucky numbers",
      #"{"type":"array","items":{"type":"integer","minimum":1,"maximum":49},"minItems":6,"maxItems":6}"#
    ),
    (
      "a pair of a word and a number",
      #"{"type":"array","prefixItems":[{"type":"string","maxLength":20},{"type":"integer"}],"items":false,"minItems":2}"#
    ),
    (
      "a travel plan",
      object([
        "title": text(50),
        "days": list(object(["plan": text(60), "cost": integer(0, 5000)]), 1, 3),
      ])
    ),
    (
      "a setting",
      object(["name": text(20), "value": anyOf(text(20), integer(0, 9), #"{"type":"boolean"}"#)])
    ),
    (
      "a news item",
      object([
        "headline": text(80), "topics": list(text(16), 1, 4), "urgent": #"{"type":"boolean"}"#,
      ])
    ),
    (
      "a log line",
      object([
        "level": choice("debug", "info", "warning", "error"), "message": text(60),
        "code": integer(0, 999),
      ])
    ),
    ("anything at all", "{}"),
  ]

  private static let date = #"{"type":"string","format":"date"}"#
  private static let ingredient = object([
    "name": text(30), "amount": number(0, 1000), "unit": choice("g", "ml", "piece"),
  ])

  private static func integer(_ least: Int, _ greatest: Int) -> String {
    #"{"type":"integer","minimum":\#(least),"maximum":\#(greatest)}"#
  }

  private static func number(_ least: Int, _ greatest: Int) -> String {
    #"{"type":"number","minimum":\#(least),"maximum":\#(greatest)}"#
  }

  private static func text(_ length: Int) -> String {
    #"{"type":"string","minLength":1,"maxLength":\#(length)}"#
  }

  private static func choice(_ values: String...) -> String {
    #"{"enum":[\#(values.map { "\"\($0)\"" }.joined(separator: ","))]}"#
  }

  private static func constant(_ value: String) -> String { #"{"const":"\#(value)"}"# }

  private static func list(_ element: String, _ least: Int, _ most: Int) -> String {
    #"{"type":"array","items":\#(element),"minItems":\#(least),"maxItems":\#(most)}"#
  }

  private static func anyOf(_ alternatives: String...) -> String {
    #"{"anyOf":[\#(alternatives.joined(separator: ","))]}"#
  }

  private static func object(
    _ required: KeyValuePairs<String, String>, optional: KeyValuePairs<String, String> = [:]
  ) -> String {
    let properties = (Array(required) + Array(optional)).map { #""\#($0.key)":\#($0.value)"# }
    let names = required.map { "\"\($0.key)\"" }
    return #"{"type":"object","properties":{\#(properties.joined(separator: ","))},"#
      + #""required":[\#(names.joined(separator: ","))],"additionalProperties":false}"#
  }
}
