// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

// Types whose properties are of other types: each is checked once, whatever stands around it.

nonisolated struct Mark { var value = 0 }

@Generable public nonisolated struct Route: Equatable {
  public var stops: [Stop]
  var first: Stop?
  private var note: Note?
  fileprivate var other: Note?
  var maybe: Maybe
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var URL: URL?
  var `default`: Foundation.URL?
  var nested: [[Stop]]?

  public typealias Maybe = Int?

  @Generable public struct Stop: Equatable, Sendable { public var name: String }
  @Generable fileprivate struct Note: Equatable { var text: String }
}

@Generable nonisolated struct Tree<Fruit: Generable & Equatable>: Equatable {
  var fruit: Fruit
  var children: [Tree<Fruit>]
}

@Generable nonisolated struct Optioned: Equatable {
  let id: UUID = UUID()
  var implicit: Route.Stop!
  #if os(Linux)
    var here: Route.Stop?
  #endif

  static func == (left: Optioned, right: Optioned) -> Bool { left.implicit == right.implicit }
}
