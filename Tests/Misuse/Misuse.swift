import Espalier

// Mistakes with the macros, and what is said of each: `Tests/Misuse/run` compiles this file, and every
// error has to be on a line with a comment that begins with `error:`, once, and with these words in it.

struct Color { var red = 1 }

@Generable struct UnsupportedType {
  var name: String
  var color: Color  // error: type 'Color' does not conform
}

@Generable struct UnsupportedTypes {
  var point: (Int, Int)  // error: type '(Int, Int)' does not conform
  var action: () -> Void  // error: type '() -> Void' does not conform
  var anything: any Sendable  // error: type 'any Sendable' does not conform
  var letters: [Character]?  // error: type 'Character' does not conform
  @Guide(description: "One") var width: Unicode.Scalar  // error: 'Unicode.Scalar' does not
}

@Generable struct NestedType {
  var stops: [Stop]  // error: type 'NestedType.Stop' does not conform
  var last: Last?  // error: type 'NestedType.Last' does not conform

  struct Stop { var name: String }
  enum Last { case home, away }
}

@Generable struct MisspelledGuides {
  @Guide(.rnge(1...5)) var number: Int  // error: type 'KnownGuide' has no member 'rnge'
  @Guide(description: "All", .maximumCont(3)) var names: [String]  // error: 'maximumCont'
}

extension SessionPropertyValues {
  @SessionPropertyEntry var units: String  // error: 'units' needs a default value
  @SessionPropertyEntry var speed: Int { 1 }  // error: writes the accessors: remove them
  @SessionPropertyEntry static var mode = "x"  // error: remove 'static'
}

struct Settings {
  @SessionPropertyEntry var units = 1  // error: belongs into an extension
}
