// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Makes a structure or an enumeration a type that a model can generate.
///
/// ```swift
/// @Generable(description: "A place worth a visit")
/// struct Sight {
///   var name: String
///   @Guide(description: "In hours", .range(1...8)) var duration: Int
///   var note: String?
/// }
/// ```
///
/// The stored properties with a written type are generated, in the order in which they are
/// declared; an optional one may be left out. One of type `GenerationID` is not: it is set to the
/// identity of the value, the `id` of its content. An enumeration becomes a choice between the names
/// of its cases, or its raw values where these are strings; with payloads it becomes an object whose
/// `type` names the case.
///
/// - Parameter description: What a value of the type is, for the model.
@attached(
  extension, conformances: Generable, ConvertibleToGeneratedContent,
  names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema), named(generatedContent), named(PartiallyGenerated),
  named(__Generated))
public macro Generable(description: String? = nil) =
  #externalMacro(module: "EspalierMacros", type: "GenerableMacro")

/// Makes a structure or an enumeration a type that a model can generate.
///
/// - Parameters:
///   - description: What a value of the type is, for the model.
///   - representNilExplicitlyInGeneratedContent: Whether `generatedContent` says `null` for an
///     optional property that is nil, rather than leaving it out.
@attached(
  extension, conformances: Generable, ConvertibleToGeneratedContent,
  names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema), named(generatedContent), named(PartiallyGenerated),
  named(__Generated))
public macro Generable(
  description: String? = nil, representNilExplicitlyInGeneratedContent: Bool
) = #externalMacro(module: "EspalierMacros", type: "GenerableMacro")

/// Makes a structure or an enumeration a type that a model can generate, under a name of its own.
///
/// - Parameters:
///   - name: The title of the schema, in place of the type's name.
///   - description: What a value of the type is, for the model.
///   - representNilExplicitlyInGeneratedContent: Whether `generatedContent` says `null` for an
///     optional property that is nil, rather than leaving it out.
@attached(
  extension, conformances: Generable, ConvertibleToGeneratedContent,
  names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema), named(generatedContent), named(PartiallyGenerated),
  named(__Generated))
public macro Generable(
  name: String, description: String? = nil,
  representNilExplicitlyInGeneratedContent: Bool = false
) = #externalMacro(module: "EspalierMacros", type: "GenerableMacro")

/// What the compiler says of `@Generable("…")`: without it, it asks for the label of the name.
@available(*, unavailable, message: "Put 'description:' in front of the text.")
@attached(
  extension, conformances: Generable, ConvertibleToGeneratedContent,
  names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema), named(generatedContent), named(PartiallyGenerated),
  named(__Generated))
public macro Generable(_ description: String) =
  #externalMacro(module: "EspalierMacros", type: "GenerableMacro")

/// Makes a structure or an enumeration a type that a model can generate, described by its
/// documentation comments.
///
/// - Parameters:
///   - description: What a value of the type is, for the model.
///   - descriptionsFromDocumentation: Whether the documentation comment of the type, or of a
///     property, describes it to the model where no description is given. A literal.
@attached(
  extension, conformances: Generable, ConvertibleToGeneratedContent,
  names: named(init(_:)), named(generatedContent))
@attached(
  member,
  names: named(generationSchema), named(generatedContent), named(PartiallyGenerated),
  named(__Generated))
public macro Generable(
  description: String? = nil, descriptionsFromDocumentation: Bool
) = #externalMacro(module: "EspalierMacros", type: "GenerableMacro")

/// Describes a generated property, and narrows down its values.
///
/// - Parameters:
///   - description: What the property is, for the model.
///   - guides: What its values must be; they hold all together.
@attached(peer)
public macro Guide<Value>(description: String? = nil, _ guides: GenerationGuide<Value>...) =
  #externalMacro(module: "EspalierMacros", type: "GuideMacro") where Value: Generable

/// Describes a generated string, and gives a regular expression that the whole of it matches.
@attached(peer)
public macro Guide<RegexOutput>(description: String? = nil, _ guides: Regex<RegexOutput>) =
  #externalMacro(module: "EspalierMacros", type: "GuideMacro")

/// Describes a generated property.
@attached(peer)
public macro Guide(description: String) =
  #externalMacro(module: "EspalierMacros", type: "GuideMacro")

/// What the compiler asks for where a guide is none: without it, it asks for two things that are not
/// missing.
@attached(peer)
public macro Guide(description: String? = nil, _ guides: KnownGuide...) =
  #externalMacro(module: "EspalierMacros", type: "GuideMacro")

/// No guide at all: the name with which the compiler says that a guide is not known.
public struct KnownGuide {
  // Without this, anyone could make one.
  private init() {}

  /// For a guide within `.element(…)`: without it, the compiler would say two things of that.
  public static func element(_ guide: KnownGuide) -> KnownGuide { guide }
}

/// Makes a variable in an extension of `SessionPropertyValues` a value of each session.
///
/// ```swift
/// extension SessionPropertyValues {
///   @SessionPropertyEntry var units = "metric"
/// }
/// ```
///
/// Tools and profiles of the session read it and set it with
/// `@SessionProperty(\.units) var units`.
@attached(accessor)
@attached(peer, names: prefixed(__Key_))
public macro SessionPropertyEntry() =
  #externalMacro(module: "EspalierMacros", type: "SessionPropertyEntryMacro")
