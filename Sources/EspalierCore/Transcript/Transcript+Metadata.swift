extension Transcript {
  /// Values attached to an entry, by name.
  public typealias MetadataValues = [String: any Codable & Sendable & Equatable]

  /// Values attached to an entry, compared as values of their types.
  package struct Metadata: Sendable, Equatable {
    package var values: MetadataValues

    package static func == (left: Metadata, right: Metadata) -> Bool {
      left.values.count == right.values.count
        && left.values.allSatisfy { name, value in
          right.values[name].map { areEqual(value, $0) } ?? false
        }
    }
  }

  /// Whether two values are of one type and equal.
  package static func areEqual<Value: Equatable>(_ left: Value, _ right: any Equatable) -> Bool {
    left == right as? Value
  }
}
