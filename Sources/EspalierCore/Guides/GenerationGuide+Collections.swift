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
