// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

@Generable struct Journey: Equatable {
  var title: String
  @Guide(.maximumCount(2)) var stops: [JourneyStop]
  var highlight: JourneyStop?
  @Guide(.maximumCount(1)) var related: [Journey]
}

@Generable struct JourneyStop: Equatable {
  var name: String
  var mood: JourneyMood
  var transport: JourneyTransport
}

@Generable enum JourneyMood: Equatable { case quiet, lively }

@Generable enum JourneyTransport: Equatable {
  case train(line: String)
  case walk(JourneyMood)
}

@Generable struct Person: Equatable {
  var name: String
  @Guide(.maximumCount(1)) var children: [Person]
  @Guide(.maximumCount(1)) var pets: [Pet]
}

@Generable struct Pet: Equatable {
  var name: String
  var owner: Person?
}
