// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// How a JSON Schema becomes a grammar: which spellings of its values are in the language.
///
/// The schema's meaning is the same under every policy; what differs is which texts stand for a
/// value. ``generation`` keeps to one good spelling, ``validation`` takes every spelling that RFC
/// 8259 allows.
public struct CompilationOptions: Sendable, Hashable {
  /// In which order the members of an object may stand.
  public enum PropertyOrder: Sendable, Hashable {
    /// As declared in the schema; undeclared members last.
    case declared
    /// In any order.
    case any
  }

  /// Which white space may stand between the tokens of JSON.
  public enum Whitespace: Sendable, Hashable {
    /// None.
    case compact
    /// One space after each colon and comma, as Python's `json.dumps` writes.
    case spaced
    /// At most this many characters in each place.
    case bounded(Int)
    /// Any amount.
    case any
  }

  /// How the characters of a string may be spelled.
  public enum Escapes: Sendable, Hashable {
    /// Themselves where JSON allows it; else the short escape or `\u00xx`.
    case canonical
    /// Every escape of RFC 8259.
    case any
  }

  /// How a number may be spelled.
  public enum Numbers: Sendable, Hashable {
    /// Integers without a fraction or an exponent; bounded numbers without an exponent; numbers that
    /// are listed in their shortest spelling, integers also with `.0`.
    ///
    /// A number that the schema does not bound stays within what a `Double` holds: its integer part has
    /// at most 200 digits and its exponent two, so that it is below 10²⁹⁹. What a schema itself says, as
    /// `minimum: 1e250`, holds as it is.
    case plain
    /// Every spelling of RFC 8259, of any size: `1.0` and `1e2` are integers.
    case any
  }

  /// Which rules a schema follows: the drafts of JSON Schema that keywords differ in.
  public enum Draft: Sendable, Hashable, Comparable {
    /// Draft 4: `id`, boolean `exclusiveMinimum` and `exclusiveMaximum`, integers by their spelling.
    case draft4
    /// Draft 6, without `if`.
    case draft6
    /// Draft 7.
    case draft7
    /// Draft 2019-09.
    case draft2019
    /// Draft 2020-12.
    case draft2020
  }

  /// What bounds the work of compiling and matching.
  public struct Limits: Sendable, Hashable {
    /// How deep the text of the schema may nest, and the values that it lists: up to 32,768 levels, for
    /// which a stack can be had. Values that are read may nest deeper, where the schema allows it:
    /// reading takes no stack.
    public var depth = 512
    /// The most alternatives that one place of the schema may have after its boolean keywords are
    /// multiplied out.
    public var alternatives = 4096
    /// The most states of the schema's regular languages that have their transitions, 1 KB each.
    /// Reaching it while compiling is an error; later, transitions are dropped and made anew, and
    /// only one step that needs more of them is refused (``Matcher/reachedLimit``).
    public var states = 200_000
    /// The memory, in bytes, that may be added to the compiled grammar while it is used. Past it,
    /// states and masks are dropped and made anew; every matcher reads its text again, and goes on
    /// as before. Sequences that need more at one time get up to twice what they need.
    public var memory = 64 << 20
    /// How long compiling may take.
    public var compileTime = Duration.seconds(10)

    /// Creates the documented defaults.
    public init() {}

    /// The same limits, none negative and none so large that it cannot be counted with: who wants none
    /// writes `.max`.
    package var countable: Limits {
      var result = self
      result.depth = max(0, min(depth, 32_768))
      result.alternatives = max(0, min(alternatives, 1 << 30))
      result.states = max(0, min(states, 1 << 30))
      result.memory = max(0, min(memory, .max >> 4))
      result.compileTime = min(compileTime, .seconds(1 << 40))
      return result
    }
  }

  /// In which order members may stand.
  public var propertyOrder: PropertyOrder
  /// Which white space is allowed.
  public var whitespace: Whitespace
  /// How characters may be spelled.
  public var escapes: Escapes
  /// How numbers may be spelled.
  public var numbers: Numbers
  /// The draft of schemas whose `$schema` names none that is known.
  public var defaultDraft = Draft.draft2020
  /// Whether `format` is asserted (on) or an annotation (off).
  public var assertsFormat = true
  /// Whether an object schema that does not say so allows undeclared members.
  public var allowsAdditionalPropertiesByDefault = true
  /// Whether a reference that names nothing is a warning and constrains nothing; off, it is an error.
  /// On under ``validation``: schemas in the wild have such references, and text that others wrote
  /// is judged by what the rest of the schema says.
  public var toleratesUnresolvedReferences = false
  /// Whether a schema that no value satisfies is a warning and refuses every text; off, it is an
  /// error. On under ``validation``.
  public var toleratesUnsatisfiableSchemas = false
  /// Whether members that are nearly a keyword (`minLenght`) are warned of, names in `required` that are
  /// nearly one in `properties`, and documents without any keyword. The commands do so.
  public var warnsOfMisspellings = false
  /// The limits; reaching one is an error that names it.
  public var limits = Limits()
  /// Other schemas that `$ref` and `$schema` may name, by their URI. The metaschemas of drafts 4, 6, 7,
  /// 2019-09 and 2020-12 are known without; a metaschema given here decides by its `$vocabulary` which keywords mean
  /// something.
  public var documents: [String: String] = [:]

  /// Creates options.
  public init(
    propertyOrder: PropertyOrder, whitespace: Whitespace, escapes: Escapes, numbers: Numbers
  ) {
    self.propertyOrder = propertyOrder
    self.whitespace = whitespace
    self.escapes = escapes
    self.numbers = numbers
  }

  /// For a model that writes: declared order, no white space, canonical spellings.
  public static let generation = CompilationOptions(
    propertyOrder: .declared, whitespace: .compact, escapes: .canonical, numbers: .plain)

  /// For text that others wrote: every order and every spelling.
  public static let validation: CompilationOptions = {
    var options = CompilationOptions(
      propertyOrder: .any, whitespace: .any, escapes: .any, numbers: .any)
    options.toleratesUnresolvedReferences = true
    options.toleratesUnsatisfiableSchemas = true
    return options
  }()
}
