// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

/// What FoundationModels does not have.
@Generable
struct Booking: Equatable {
  var when: Date
  var link: URL?
  var reference: UUID
  var ticket: Data
  @Guide(.count(1...3)) var extras: [String: Int]
  @Guide(.minimumCount(1)) var days: Set<String>
  var small: UInt8
  var large: UInt64
  var price: Decimal
  @Guide(.exclusiveMinimum(0), .exclusiveMaximum(1)) var share: Double
  @Guide(.multiple(of: 5)) var minutes: Int
  @Guide(.length(2...40), .pattern("[A-Z].*")) var name: String
  @Guide(.format(.email)) var contact: String
  @Guide(.uniqueElements(), .count(2)) var seats: [Int]
}
