// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Fifty types, a line each: a name and its properties with their types.
///
/// `s` text, `i` whole number, `n` number, `b` truth value, `a|b` a choice, `[x]` up to four,
/// `i(1,9)` a range, `x?` optional, `@Name` another type of the list above.
enum Types {
  static let lines = """
    Person: name s, age i(0,120), email s?
    City: name s, country s, population i(0,40000000)
    Book: title s, author s, year i(1450,2030), pages i?
    Recipe: name s, minutes i(1,600), ingredients [s], vegetarian b
    Weather: place s, celsius n, sky clear|cloudy|rain|snow
    Movie: title s, year i(1890,2030), genres [drama|comedy|action|horror], rating n
    Point: x n, y n
    Line: from @Point, to @Point, dashed b
    Task: title s, done b, priority low|medium|high
    Project: name s, tasks [@Task]
    Event: title s, day i(1,31), month i(1,12), place s?
    Animal: species s, legs i(0,100), wild b
    Invoice: number i(1,99999), customer @Person, total n
    Review: stars i(1,5), text s
    Product: name s, price n, tags [s], reviews [@Review]
    Address: street s, number i(1,999), town s
    Company: name s, seat @Address, founded i(1600,2030)
    Song: title s, artist s, seconds i(1,3600)
    Album: title s, songs [@Song]
    Colour: red i(0,255), green i(0,255), blue i(0,255)
    Palette: name s, colours [@Colour]
    Flight: from s, to s, gate s?, delayed b
    Trip: traveller @Person, flights [@Flight]
    Exercise: name s, repetitions i(1,100), weight n?
    Workout: day monday|wednesday|friday, exercises [@Exercise]
    Plant: name s, latin s?, watering daily|weekly|monthly
    Garden: owner s, plants [@Plant]
    Question: text s, answers [s], correct i(0,3)
    Quiz: subject s, questions [@Question]
    Contact: name s, phones [s], favourite b
    Message: from s, to s, body s, read b
    Thread: subject s, messages [@Message]
    Measurement: unit metre|gram|second|kelvin, value n
    Experiment: title s, measurements [@Measurement], success b
    Medicine: name s, dose @Measurement, times i(1,6)
    Star: name s, distance n, visible b
    Constellation: name s, stars [@Star]
    Planet: name s, moons i(0,200), rings b, radius n
    Character: name s, role hero|villain|helper, strength i(1,20)
    Scene: place s, characters [@Character], indoors b
    Play: title s, scenes [@Scene]
    Word: text s, kind noun|verb|adjective|adverb, meaning s
    Dictionary: language s, words [@Word]
    Room: name s, area n, windows i(0,20)
    House: address @Address, rooms [@Room], price n?
    Ticket: seat s, row i(1,60), price n, reduced b
    Concert: band s, hall s, tickets [@Ticket]
    Vote: candidate s, count i(0,1000000)
    Election: year i(1800,2030), votes [@Vote], decided b
    Summary: topic s, points [s], mood positive|neutral|negative, confident b
    """

  /// The schema of each type.
  static var schemas: [(name: String, schema: String)] {
    var result: [(name: String, schema: String)] = []
    for line in lines.split(separator: "\n") {
      let halves = line.split(separator: ":", maxSplits: 1)
      var properties: [String] = []
      var required: [String] = []
      for field in Self.fields(of: String(halves[1])) {
        let parts = field.split(separator: " ", maxSplits: 1)
        let (name, type) = (String(parts[0]), String(parts[1]))
        if !type.hasSuffix("?") { required.append("\"\(name)\"") }
        properties.append("\"\(name)\":\(schema(of: type, known: result))")
      }
      result.append(
        (
          String(halves[0]),
          "{\"type\":\"object\",\"properties\":{\(properties.joined(separator: ","))},"
            + "\"required\":[\(required.joined(separator: ","))],\"additionalProperties\":false}"
        ))
    }
    return result
  }

  /// Cuts at commas that stand outside of brackets.
  private static func fields(of text: String) -> [String] {
    var result = [""]
    var depth = 0
    for character in text {
      if character == "(" || character == "[" { depth += 1 }
      if character == ")" || character == "]" { depth -= 1 }
      if character == ",", depth == 0 {
        result.append("")
      } else {
        result[result.count - 1].append(character)
      }
    }
    return result.map { $0.trimming(" ") }
  }

  private static func schema(
    of type: String, known: [(name: String, schema: String)]
  ) -> String {
    if type.hasSuffix("?") { return schema(of: String(type.dropLast()), known: known) }
    if type.hasPrefix("[") {
      let item = schema(of: String(type.dropFirst().dropLast()), known: known)
      return "{\"type\":\"array\",\"items\":\(item),\"maxItems\":4}"
    }
    if type.hasPrefix("@") {
      return known.first { $0.name == type.dropFirst() }?.schema ?? "false"
    }
    if type.hasPrefix("i(") {
      let range = type.dropFirst(2).dropLast().split(separator: ",")
      return "{\"type\":\"integer\",\"minimum\":\(range[0]),\"maximum\":\(range[1])}"
    }
    if type.contains("|") {
      let choices = type.split(separator: "|").map { "\"\($0)\"" }.joined(separator: ",")
      return "{\"enum\":[\(choices)]}"
    }
    let names = ["s": "string", "i": "integer", "n": "number", "b": "boolean"]
    return "{\"type\":\"\(names[type] ?? "null")\"}"
  }
}

extension String {
  fileprivate func trimming(_ character: Character) -> String {
    var text = self[...]
    while text.first == character { text.removeFirst() }
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
