// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Texts that read as if they belonged to a field, by the words of the field's name: `guestName` gets
/// the name of a person, `eveningPlan` something to do in the evening.
///
/// They are what `SamplingLanguageModel` tries first; a schema that allows none of them gets words.
enum SampleTexts {
  private struct Topic {
    /// Words of field names.
    var words: Set<String>
    var texts: [String]
  }

  /// The texts for a field.
  ///
  /// - Parameter field: The field's name; empty for a text that is in none.
  /// - Returns: Texts of which any will do; none of them needs to be escaped in JSON.
  static func texts(forField field: String) -> [String] {
    // The whole name, as `firstName`; else the last word says what it is: `lunchArea` is an area.
    let words = words(of: field)
    for word in [words.joined()] + words.reversed() {
      let known = english(word) ?? word
      if let topic = topics.first(where: { $0.words.contains(known) }) { return topic.texts }
    }
    return other
  }

  /// Keys of objects that take any.
  static let keys = [
    "garden", "river", "market", "bridge", "summer", "museum", "harbour", "station", "tower",
    "lake",
  ]

  /// Texts for any field: sentences, and a few words.
  static let anything = other + titles

  /// Texts of formats that take none of the others, and have no end that words lead to.
  static let addresses = [
    "https://example.com/garden", "https://example.org/lake", "ada@example.com",
    "luca@example.org",
  ]

  /// A time in the forms that every parser of dates reads, and an identifier.
  ///
  /// - Parameter day: The day of the last time, counted from 1970: what is written later is later, so
  ///   that a trip ends after it begins. It becomes the day of this one.
  static func drawn(after day: inout Int, using generator: inout SplitMix64) -> [String] {
    day += Int.random(in: 1...10, using: &generator)
    let minute = 5 * Int.random(in: 7 * 12..<21 * 12, using: &generator)
    let time = Date(timeIntervalSince1970: Double(day * 86_400 + minute * 60)).formatted(.iso8601)
    let identifier = [8, 4, 4, 4, 12].map { length in
      (0..<length).map { _ in
        String(UInt8.random(in: 0..<16, using: &generator), radix: 16)
      }.joined()
    }.joined(separator: "-")
    return [
      time, String(time.prefix(10)), String(time.dropFirst(11)),
      String(time.dropFirst(11).dropLast()), "PT\(minute % 60 + 10)M", identifier,
    ]
  }

  /// The first day after which times are drawn: 2026-01-01.
  static let firstDay = 20_454

  /// The words of a name in any of the usual spellings, in lower case and in the singular.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in name {
      if !character.isLetter || character.isUppercase, !word.isEmpty {
        words.append(word)
        word = ""
      }
      if character.isLetter { word += character.lowercased() }
    }
    words.append(word)
    return words.map { word in
      if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
      return word.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss")
        ? String(word.dropLast()) : word
    }
  }

  private static let topics: [Topic] = [
    Topic(
      words: ["guest", "person", "author", "customer", "user", "contact", "attendee", "owner"],
      texts: ["Ada Brown", "Luca Rossi", "Mei Tanaka", "Omar Haddad", "Nina Novak", "Tom Olsen"]),
    Topic(
      words: ["firstname", "givenname", "nickname"],
      texts: ["Ada", "Luca", "Mei", "Omar", "Nina", "Tom"]),
    Topic(
      words: ["lastname", "surname", "familyname"],
      texts: ["Brown", "Rossi", "Tanaka", "Haddad", "Novak", "Olsen"]),
    Topic(
      words: ["fullname"], texts: ["Ada Brown", "Luca Rossi", "Mei Tanaka", "Omar Haddad"]),
    Topic(words: ["username", "login", "handle"], texts: ["ada", "luca42", "mei.tanaka", "omar"]),
    Topic(
      words: ["zip", "zipcode", "postcode", "postalcode"],
      texts: ["10115", "94110", "00184", "5003"]),
    Topic(
      words: ["sku", "reference"], texts: ["A-1042", "B-2210", "C-3107", "D-4415"]),
    Topic(
      words: ["id", "identifier", "key"], texts: ["a1042", "b2210", "c3107", "d4415", "e5520"]),
    Topic(words: ["currency"], texts: ["EUR", "USD", "JPY", "NOK"]),
    Topic(
      words: ["name"],
      texts: [
        "Green Garden", "Silver Lake", "Old Harbour", "Morning Star", "Red Maple", "Little Owl",
      ]),
    Topic(
      words: ["city", "destination", "town", "location"],
      texts: ["Kyoto", "Lisbon", "Vienna", "Porto", "Bergen", "Turin", "Boston"]),
    Topic(
      words: ["area", "place", "district", "neighbourhood", "neighborhood"],
      texts: [
        "Near the market", "In the old town", "Around the station", "By the river",
        "Along the harbour", "Near the temple", "By the old bridge",
      ]),
    Topic(
      words: ["country"], texts: ["Japan", "Portugal", "Norway", "Italy", "Canada", "Chile"]),
    Topic(words: ["language"], texts: ["English", "Italian", "Japanese", "Portuguese"]),
    Topic(
      words: ["street", "address"],
      texts: ["12 Mill Road", "5 Oak Street", "48 River Lane", "3 Station Square"]),
    Topic(words: ["email", "mail"], texts: ["ada@example.com", "luca@example.org"]),
    Topic(
      words: ["url", "uri", "link", "website", "homepage"],
      texts: ["https://example.com/garden", "https://example.org/lake"]),
    Topic(words: ["phone", "telephone"], texts: ["+1 555 0100", "+1 555 0142", "+1 555 0199"]),
    Topic(words: ["color", "colour"], texts: ["green", "dark blue", "silver", "red"]),
    Topic(
      words: ["food", "dish", "meal", "ingredient", "cuisine"],
      texts: ["Rice with vegetables", "Noodle soup", "Grilled fish", "Apple pie", "Tomato salad"]),
    Topic(
      words: ["document", "ticket"],
      texts: ["Passport", "Train tickets", "Insurance card", "Copies of the bookings"]),
    Topic(
      words: ["toiletry", "hygiene"],
      texts: ["Toothbrush", "Soap", "Sun cream", "Small towel", "Comb"]),
    Topic(
      words: ["electronic", "device", "gadget"],
      texts: ["Phone charger", "Camera", "Adapter", "Headphones"]),
    Topic(
      words: ["kit", "medicine", "medication"],
      texts: ["Plasters", "Painkillers", "Bandage", "Insect repellent"]),
    Topic(words: ["tag", "keyword", "label"], texts: ["quiet", "garden", "food", "view", "walk"]),
    Topic(
      words: ["item", "clothing", "equipment"],
      texts: ["Rain jacket", "Walking shoes", "Sun hat", "Water bottle", "Warm socks"]),
    Topic(
      words: ["title", "theme", "subject", "headline", "topic"],
      texts: titles),
    Topic(
      words: ["morning"],
      texts: [
        "Visit the old temple and its garden.", "Walk along the river to the market.",
        "Climb the hill for a view of the town.", "See the castle before the crowds come.",
      ]),
    Topic(
      words: ["afternoon", "activity", "plan"],
      texts: [
        "Explore the small streets behind the harbour.", "Spend an hour in the museum of art.",
        "Follow the path around the lake.", "Browse the shops near the old bridge.",
      ]),
    Topic(
      words: ["evening", "night"],
      texts: [
        "Listen to music in a small bar.", "Watch the sunset from the bridge.",
        "Enjoy a slow dinner by the water.", "Join a walk through the lit streets.",
      ]),
    Topic(
      words: ["transport", "travel", "way", "transportation"],
      texts: [
        "Take the tram to the centre and walk.", "Use the bus to the station.",
        "Walk everywhere on this day.", "Catch the train in the morning.",
      ]),
    Topic(
      words: ["tip", "advice", "hint", "suggestion", "recommendation"],
      texts: [
        "Bring shoes for long walks.", "Book a table for the weekend.",
        "Carry some coins for the tram.", "Try the bread from the market.",
        "Check the opening hours before you go.",
      ]),
    Topic(
      words: ["greeting", "phrase", "form"], texts: ["Good morning", "Thank you", "Well met"]),
  ]

  private static let titles = [
    "Old streets and the river", "Gardens and tea", "A quiet morning by the lake",
    "Markets and music", "Hills and temples",
  ]

  private static let other = [
    "It is quiet here in the morning.", "There is a garden behind the house.",
    "The view from the bridge is worth the walk.", "A short walk leads to the lake.",
    "Most people come here in summer.", "A small museum stands near the park.",
    "The market opens early.", "Nothing else is near.",
  ]
}
