// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension GenerationGuide {
  /// The array has at least this many elements.
  public static func minimumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide(.counts(minimum: count, maximum: nil))
  }

  /// The array has at most this many elements.
  public static func maximumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide(.counts(minimum: nil, maximum: count))
  }

  /// The number of elements in the array is in the range.
  public static func count<Element>(_ range: ClosedRange<Int>) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide(.counts(minimum: range.lowerBound, maximum: range.upperBound))
  }

  /// The array has exactly this many elements.
  public static func count<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide(.counts(minimum: count, maximum: count))
  }

  /// Each element of the array is as the guide says.
  public static func element<Element>(_ guide: GenerationGuide<Element>)
    -> GenerationGuide<[Element]> where Value == [Element]
  {
    GenerationGuide(constraints: guide.constraints.map { .element($0) })
  }

  /// No element of the array equals another.
  public static func uniqueElements<Element>() -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide(.uniqueElements)
  }

  init(constraints: [GuideConstraint]) { self.constraints = constraints }
}

extension GenerationGuide {
  /// The set has at least this many elements.
  public static func minimumCount<Element>(_ count: Int) -> GenerationGuide<Set<Element>>
  where Value == Set<Element> {
    GenerationGuide(.counts(minimum: count, maximum: nil))
  }

  /// The set has at most this many elements.
  public static func maximumCount<Element>(_ count: Int) -> GenerationGuide<Set<Element>>
  where Value == Set<Element> {
    GenerationGuide(.counts(minimum: nil, maximum: count))
  }

  /// The number of elements in the set is in the range.
  public static func count<Element>(_ range: ClosedRange<Int>) -> GenerationGuide<Set<Element>>
  where Value == Set<Element> {
    GenerationGuide(.counts(minimum: range.lowerBound, maximum: range.upperBound))
  }

  /// The set has exactly this many elements.
  public static func count<Element>(_ count: Int) -> GenerationGuide<Set<Element>>
  where Value == Set<Element> {
    GenerationGuide(.counts(minimum: count, maximum: count))
  }

  /// Each element of the set is as the guide says.
  @_disfavoredOverload
  public static func element<Element>(_ guide: GenerationGuide<Element>)
    -> GenerationGuide<Set<Element>> where Value == Set<Element>
  {
    GenerationGuide(constraints: guide.constraints.map { .element($0) })
  }
}

extension GenerationGuide {
  /// The dictionary has at least this many entries.
  public static func minimumCount<Element>(_ count: Int) -> GenerationGuide<[String: Element]>
  where Value == [String: Element] {
    GenerationGuide(.counts(minimum: count, maximum: nil))
  }

  /// The dictionary has at most this many entries.
  public static func maximumCount<Element>(_ count: Int) -> GenerationGuide<[String: Element]>
  where Value == [String: Element] {
    GenerationGuide(.counts(minimum: nil, maximum: count))
  }

  /// The number of entries in the dictionary is in the range.
  public static func count<Element>(_ range: ClosedRange<Int>) -> GenerationGuide<[String: Element]>
  where Value == [String: Element] {
    GenerationGuide(.counts(minimum: range.lowerBound, maximum: range.upperBound))
  }

  /// The dictionary has exactly this many entries.
  public static func count<Element>(_ count: Int) -> GenerationGuide<[String: Element]>
  where Value == [String: Element] {
    GenerationGuide(.counts(minimum: count, maximum: count))
  }

  /// Each value of the dictionary is as the guide says.
  @_disfavoredOverload
  public static func element<Element>(_ guide: GenerationGuide<Element>)
    -> GenerationGuide<[String: Element]> where Value == [String: Element]
  {
    GenerationGuide(constraints: guide.constraints.map { .element($0) })
  }
}

/// The argument of `@Guide` does not know the type of its property: these let `@Guide(.count(3))`
/// be checked. In the schema the guide is made again for the property's own type.
extension GenerationGuide where Value == [Never] {
  /// The array has at least this many elements.
  public static func minimumCount(_ count: Int) -> GenerationGuide<Value> {
    GenerationGuide(.counts(minimum: count, maximum: nil))
  }

  /// The array has at most this many elements.
  public static func maximumCount(_ count: Int) -> GenerationGuide<Value> {
    GenerationGuide(.counts(minimum: nil, maximum: count))
  }

  /// The number of elements in the array is in the range.
  public static func count(_ range: ClosedRange<Int>) -> GenerationGuide<Value> {
    GenerationGuide(.counts(minimum: range.lowerBound, maximum: range.upperBound))
  }

  /// The array has exactly this many elements.
  @_disfavoredOverload
  public static func count(_ count: Int) -> GenerationGuide<Value> {
    GenerationGuide(.counts(minimum: count, maximum: count))
  }

  /// No element of the array equals another.
  public static func uniqueElements() -> GenerationGuide<Value> {
    GenerationGuide(.uniqueElements)
  }
}
