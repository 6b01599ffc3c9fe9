// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

@Generable(description: "How good")
enum Rating: CaseIterable {
  case poor, fair
  case excellent
  #if NEVER_DEFINED
    case never
  #endif

  static let best = Rating.excellent
}

@Generable
enum Origami: String, CaseIterable {
  case crane = "paper crane"
  case frog
  case `default`
}

@Generable
enum Priority: Int {
  case low = 1
  case high = 2
}

@Generable
public enum Encounter: Equatable, Sendable {
  case orderCoffee(String)
  case wantToTalkToManager(complaint: String, _ level: Int)
  case point(x: Double, y: Double?)
  case nothing
}

@Generable
indirect enum Expression: Equatable {
  case number(Int)
  case sum(Expression, Expression)
  case negative(of: Expression)
}

@Generable
enum Chain: Equatable {
  indirect case link(value: Int, next: Chain?)
  case end
}

// Another enumeration with a case of the same name, and another payload.
@Generable
enum Geometry: Equatable {
  case point(latitude: Double)
}

@Generable
struct Collision: Equatable {
  var encounter: Encounter
  var geometry: Geometry
  var first: First.Item
  var second: Second.Item

  enum First {
    @Generable struct Item: Equatable { var a: Int }
  }

  enum Second {
    @Generable struct Item: Equatable { var b: Int }
  }
}
