// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

extension Itinerary {
  /// Three short journeys: a small model learns more from them than from any description.
  static func examples(in language: Language) -> [GenerationExample] {
    let journeys = language == .english ? englishJourneys : italianJourneys
    return journeys.map { journey in
      let days = journey.dailyPlans?.count ?? 0
      return GenerationExample(
        language.choose(
          "Plan \(language.days(days)) in \(journey.destination).",
          "Pianifica \(language.days(days)) a \(journey.destination)."), journey)
    }
  }

  private static var englishJourneys: [Itinerary] {
    [
      journey(
        to: "Lisbon", .culturale,
        [
          [
            "Old streets and the river",
            "Walk through the old town to the castle and look over the roofs.",
            "Near the cathedral", "Ride the tram to the garden and visit the church beside it.",
            "In the upper town", "Listen to music in a small tavern.",
            "Take the tram up the hill and walk down again.",
          ],
          [
            "Sailors and pastries", "See the monastery by the river before the crowds come.",
            "Along the river bank", "Cross the water by ferry and walk along the docks.",
            "By the fish market", "Watch the sunset from a viewpoint.",
            "Take the train along the coast in the morning.",
          ],
        ],
        tips: [
          "Wear shoes with good soles for the steep streets.",
          "Carry some coins for the small cafes.",
        ]),
      journey(
        to: "Edinburgh", .avventura,
        [
          [
            "Hills and legends",
            "Climb the hill in the park early and enjoy the view of the sea.",
            "Around the market square", "Explore the castle and the narrow lanes around it.",
            "Near the harbour", "Join a tour under the old bridges.",
            "Walk in the centre and use the bus to the harbour.",
          ]
        ],
        tips: ["Bring a raincoat in every season.", "Book popular sights in advance."]),
      journey(
        to: "Vienna", .relax,
        [
          [
            "Palaces and cakes", "Wander through the palace gardens while they are quiet.",
            "Near the opera", "Spend an hour with the paintings in the museum of art.",
            "In the wine villages", "Hear a concert in a church.",
            "Use the metro for the long way out.",
          ],
          [
            "Markets and green hills", "Taste fruit and cheese at the open market.",
            "Around the stalls", "Follow a trail through the vineyards above the city.",
            "By the canal", "Relax in a warm bath.",
            "Ride the tram to the last stop and walk from there.",
          ],
        ],
        tips: ["Reserve a table at weekends.", "Try a different cake each day."]),
    ]
  }

  private static var italianJourneys: [Itinerary] {
    [
      journey(
        to: "Lisbona", .culturale,
        [
          [
            "Vecchie strade e il fiume",
            "Cammina per la città vecchia fino al castello e guarda i tetti.",
            "Vicino alla cattedrale", "Passeggia nel giardino e visita la chiesa accanto.",
            "In città alta", "Ascolta la musica in una piccola taverna.",
            "Prendi il tram in salita e torna a piedi.",
          ],
          [
            "Marinai e dolci", "Visita il monastero sul fiume prima della folla.",
            "Lungo la riva", "Attraversa il fiume in traghetto e segui i moli.",
            "Vicino al mercato", "Guarda il tramonto da un belvedere.",
            "Prendi il treno lungo la costa di mattina.",
          ],
        ],
        tips: [
          "Indossa scarpe comode per le strade in salita.",
          "Porta qualche moneta per i piccoli caffè.",
        ]),
      journey(
        to: "Vienna", .relax,
        [
          [
            "Palazzi e torte", "Esplora i giardini del palazzo quando sono tranquilli.",
            "Vicino al teatro", "Ammira i quadri nel museo d'arte.",
            "Intorno alle vigne", "Ascolta un concerto in una chiesa.",
            "Usa il tram per la strada lunga.",
          ]
        ],
        tips: ["Prenota un tavolo per il fine settimana.", "Prova una torta diversa ogni giorno."]),
    ]
  }

  /// A journey of which each day has its texts in the order of the properties.
  private static func journey(
    to destination: String, _ style: TravelStyle, _ days: [[String]], tips: [String]
  ) -> Itinerary {
    Itinerary(
      destination: destination, totalDays: days.count, travelStyle: style,
      dailyPlans: days.enumerated().map { index, texts in
        DailyPlan(
          dayNumber: index + 1, theme: texts[0], morning: texts[1], lunchArea: texts[2],
          afternoon: texts[3], dinnerArea: texts[4], evening: texts[5], transportNotes: texts[6])
      },
      overview: nil, generalTips: tips)
  }
}
