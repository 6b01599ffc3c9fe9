// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer
import Foundation
import Testing

/// The command-line tool, run as a process.
@Suite struct EspalierCommandTests {
  private let person = """
    {"title":"Person","type":"object","properties":{"name":{"type":"string","minLength":1},\
    "age":{"type":"integer","minimum":18,"maximum":120}},"required":["name","age"],\
    "additionalProperties":false}
    """

  private func espalier(_ arguments: String..., input: String = "") async throws -> CommandRun {
    try await CommandRun.run("espalier", arguments, input: input)
  }

  /// The version is that of the newest release.
  @Test func version() async throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let changes = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let newest = try #require(changes.firstMatch(of: /(?m)^## ([0-9]\S*)/)).1
    let version = try await espalier("--version")
    #expect(version.output == "\(newest)\n")
  }

  @Test func schemaCheck() async throws {
    let good = try await espalier("schema", "check", "-", input: person)
    #expect(good.exitCode == 0 && good.output == "supported\n")
    let bad = try await espalier(
      "schema", "check", "-", "--json",
      input: #"{"type":"object","properties":{"a":{"type":"int"}}}"#)
    #expect(bad.exitCode == 1)
    #expect(bad.output.contains(#""supported":false"#))
    #expect(bad.output.contains(#""location":"#) && bad.output.contains("#/properties/a"))
    // What was found is what stands there.
    #expect(bad.output.contains("found the string `int`"), "\(bad.output)")
    let missing = try await espalier("schema", "check", "/no/such/file.json")
    #expect(missing.exitCode == 2 && missing.errors.contains("/no/such/file.json"))
    #expect(try await espalier("schema", "sing").exitCode == 64)
  }

  /// The specification has schemas ignore what they do not know; whoever asks is told.
  @Test func schemaCheckTellsOfWhatSaysNothing() async throws {
    let misspelt = try await espalier(
      "schema", "check", "-",
      input: #"{"properites": {}, "minLenght": 3, "x-item": 1, "description": "a"}"#)
    #expect(misspelt.exitCode == 0)
    #expect(misspelt.output.contains("was `properties` meant?"))
    #expect(misspelt.output.contains("was `minLength` meant?"))
    #expect(!misspelt.output.contains("x-item"))
    let tool = try await espalier(
      "schema", "check", "-",
      input: #"{"name": "find", "description": "", "inputSchema": {"type": "object"}}"#)
    #expect(tool.output.contains("is the schema at `#/inputSchema`?"))
    let plain = try await espalier("schema", "check", "-", input: #"{"title": "anything"}"#)
    #expect(plain.output == "supported\n")
  }

  /// What a name in another case means is that keyword, and not one that is as long.
  @Test func theClosestKeywordIsMeant() async throws {
    let schema = #"{"maxlength": 4, "Maximum": 3, "properties": {"a": {"required": true}}}"#
    let checked = try await espalier("schema", "check", "-", input: schema)
    #expect(checked.output.contains("was `maxLength` meant?"), "\(checked.output)")
    #expect(checked.output.contains("was `maximum` meant?"), "\(checked.output)")
    #expect(checked.output.contains("lists the names of its required members"))
    let sampled = try await espalier("sample", "-", input: schema)
    #expect(sampled.exitCode == 0 && sampled.errors.contains("was `maxLength` meant?"))
  }

  /// A limit that a value keeps anyhow does not change it.
  @Test func anAmpleLimitChangesNothing() async throws {
    let schema = """
      {"type":"object","properties":{"email":{"type":"string","format":"email"},\
      "date":{"type":"string","format":"date"},"note":{"type":"string"}},\
      "required":["email","date","note"],"additionalProperties":false}
      """
    let free = try await espalier("sample", "-", "--count", "5", input: schema)
    let limited = try await espalier(
      "sample", "-", "--count", "5", "--maximum-tokens", "300", input: schema)
    #expect(limited.output == free.output && free.exitCode == 0)
    let short = try await espalier("sample", "-", "--maximum-tokens", "20", input: schema)
    #expect(short.exitCode == 3 && short.errors.contains("shortest value"), "\(short.errors)")
  }

  /// The engine tells whoever writes code; who types a command is told what to type.
  @Test func aMissingDocumentIsGivenByAnOption() async throws {
    let schema = ##"{"$ref":"shop.json#/components/schemas/Order"}"##
    for arguments in [["schema", "check"], ["sample"]] {
      let run = try await CommandRun.run("espalier", arguments + ["-"], input: schema)
      #expect(run.exitCode == 1 && (run.output + run.errors).contains("--document"), "\(run)")
    }
  }

  @Test func validateTellsOfASecondValue() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let schema = folder.appending(path: "person.json")
    try person.write(to: schema, atomically: true, encoding: .utf8)
    let value = #"{"name":"Ada","age":36}"#
    let lines = try await espalier(
      "validate", schema.path(percentEncoded: false), "-", input: "\(value)\n\(value)\n")
    #expect(lines.exitCode == 1)
    #expect(lines.output.contains("only one is read"), "\(lines.output)")
  }

  @Test func schemaConvert() async throws {
    let apple = try await espalier(
      "schema", "convert", "-", "--to", "foundation-models", "--compact", input: person)
    #expect(apple.exitCode == 0 && apple.output.contains(#""x-order":["name","age"]"#))
    let strict = try await espalier(
      "schema", "convert", "-", "--to", "strict",
      input: #"{"type":"object","additionalProperties":{"type":"integer"}}"#)
    #expect(strict.exitCode == 1 && !strict.errors.isEmpty)
    let normalised = try await espalier(
      "schema", "normalise", "-",
      input: ##"{"definitions":{"A":{"type":"string"}},"$ref":"#/definitions/A"}"##)
    #expect(normalised.output.contains("\"$defs\": {\n"))
    // What is normal stays as it is.
    let again = try await espalier("schema", "normalise", "-", input: normalised.output)
    #expect(again.output == normalised.output)
    #expect(try await espalier("schema", "normalise", "-", input: "{").exitCode == 2)
  }

  @Test func grammar() async throws {
    let gbnf = try await espalier("grammar", "-", "--to", "gbnf", input: person)
    #expect(gbnf.exitCode == 0 && gbnf.errors.isEmpty)
    #expect(gbnf.output.contains("root ::=") && gbnf.output.hasSuffix("\n"))
    // As a regular expression it takes what is drawn from the schema, and nothing else.
    let regex = try await espalier("grammar", "-", "--to", "regex", input: person)
    let expression = try Regex(regex.output.trimmingCharacters(in: .newlines))
    let values = try await espalier("sample", "-", "--count", "5", input: person)
    for value in values.lines { #expect(value.wholeMatch(of: expression) != nil, "\(value)") }
    #expect(#"{"name":"A","age":17}"#.wholeMatch(of: expression) == nil)
    for notation in ["lark", "ebnf"] {
      #expect(try await espalier("grammar", "-", "--to", notation, input: person).exitCode == 0)
    }
    // What the notation cannot say is said.
    let unique = #"{"type":"array","items":{"type":"integer"},"uniqueItems":true}"#
    let lossy = try await espalier("grammar", "-", "--to", "gbnf", input: unique)
    #expect(lossy.exitCode == 0 && lossy.errors.contains("uniqueItems"))
    let exact = try await espalier("grammar", "-", "--to", "gbnf", "--exact", input: unique)
    #expect(exact.exitCode == 1 && exact.output.isEmpty)
    let report = try await espalier("grammar", "-", "--to", "gbnf", "--json", input: unique)
    #expect(report.output.contains(#""keyword":"uniqueItems""#))
    let endless = ##"{"type":"array","items":{"$ref":"#"}}"##
    let nested = try await espalier("grammar", "-", "--to", "regex", input: endless)
    #expect(nested.exitCode == 1 && !nested.errors.isEmpty)
  }

  /// What a shell hands over as `<(jq …)` is a pipe, not a file.
  @Test(.timeLimit(.minutes(30))) func pipesAreRead() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.url.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let text = Data(person.utf8)
    Thread.detachNewThread {
      // Waits until the command opens the other end.
      try? FileHandle(forWritingAtPath: pipe)?.write(contentsOf: text)
    }
    let checked = try await espalier("schema", "check", pipe)
    #expect(checked.exitCode == 0 && checked.output == "supported\n", "\(checked.errors)")
    let empty = try await espalier("schema", "check", "/dev/null")
    #expect(empty.exitCode != 0 && !empty.errors.contains("permission"), "\(empty.errors)")
  }

  /// What a limit leaves undecided is told as that, in words for who wrote the schema.
  @Test func validateNamesALimit() async throws {
    let folder = try TemporaryFolder()
    let branches = (0..<10).map {
      """
      {"type":"object","required":["p"],"properties":{"t":{"const":"c\($0)"},
       "p":{"type":"object","properties":{"z\($0)":{"type":"string"}},"required":["z\($0)"]},
       "q\($0)":{"type":"object","properties":{"u":{"type":"string"}}}}}
      """
    }
    let schema = try folder.file(
      "union.json", #"{"oneOf":[\#(branches.joined(separator: ","))]}"#)
    let result = try await espalier("validate", schema, input: #"{"p":{"z1":"","z2":""}}"#)
    #expect(result.exitCode == 1)
    #expect(result.errors.contains("cannot be judged"), "\(result.errors)")
    #expect(result.errors.contains("raise the limit `alternatives`"), "\(result.errors)")
  }

  @Test func validate() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("person.json", person)
    let good = try await espalier("validate", schema, input: #" {"age": 1.8e1, "name": "Ada"} "#)
    #expect(good.exitCode == 0 && good.output == "valid\n")
    let bad = try await espalier("validate", schema, input: "{\"name\": \"Ädä\",\n \"age\": 17}")
    #expect(bad.exitCode == 1)
    #expect(bad.lines.first?.hasPrefix("not valid at 2:") == true)
    // The caret stands under the byte.
    #expect(bad.lines.count == 3)
    #expect(bad.lines[1].hasPrefix(#" "age": 17"#))
    #expect(bad.lines[2].trimmingCharacters(in: .whitespaces) == "^")
    // The value at fault, what could have come, and the place in the schema.
    #expect(
      bad.output.contains(
        "at /age, expected an integer of at least 18 and at most 120, found `17` "
          + "(#/properties/age)"))
    // Neither the schema nor the value reaches the terminal's own commands.
    let keyed = try folder.file(
      "keyed.json",
      #"{"patternProperties": {"^[a-z\u001b]+$": {}}, "additionalProperties": false}"#)
    let raw = try await espalier("validate", keyed, input: "{\"\u{7}\u{1b}1\": 1}")
    #expect(raw.exitCode == 1)
    #expect(!raw.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(raw.output.contains("a key that matches `^[a-z␛]+$`"), "\(raw.output)")
    let marked = try await espalier("validate", schema, input: "\u{FEFF}{}")
    #expect(marked.output.contains("found a byte order mark"))
    let old = try await espalier("validate", schema, input: #"{"name": "A", "age": 500}"#)
    #expect(old.output.contains("#/properties/age/maximum"))
    let cut = try await espalier("validate", schema, "--json", input: #"{"name":"A"#)
    #expect(cut.exitCode == 1)
    #expect(cut.output.contains(#""valid":false,"offset":10,"line":1,"column":11"#))
    // Of an endless stream the verdict comes before the end.
    let file = try folder.file("value.json", #"{"name":"A","age":20}"#)
    #expect(try await espalier("validate", schema, file).exitCode == 0)
  }

  @Test func mask() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("person.json", person)
    let start = try await espalier("mask", schema)
    #expect(start.lines.first == "1 of 257 tokens may follow.")
    #expect(start.output.contains(#"Forced: {"name":""#))
    let age = #"{"name":"A","age":1"#
    let no = try await espalier("mask", schema, "--prefix", age, "--text", "7}")
    #expect(no.exitCode == 1)
    #expect(no.output.contains("Not allowed: 7}"))
    // 17 may be the beginning of 170, which is too much, so 7 is refused at once.
    #expect(no.output.contains("After `\(age)` comes one of: 0–2 8 9"))
    let yes = try await espalier("mask", schema, "--prefix", age, "--text", "8}", "--json")
    #expect(yes.exitCode == 0 && yes.output.contains(#""allowed":true"#))
    let departed = try await espalier("mask", schema, "--prefix", #"{"nome"#)
    #expect(departed.exitCode == 1 && departed.errors.contains("departs at byte 3"))
    #expect(departed.errors.contains("byte 3: expected the key `name`; found `o`"))
  }

  /// With a model the white space is what the model is held to, unless another is asked for.
  @Test func whiteSpaceIsThatOfTheModel() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("person.json", person)
    func exitCode(_ command: String, _ prefix: String, _ options: [String] = []) async throws
      -> Int32
    {
      try await CommandRun.run("espalier", [command, schema, "--prefix", prefix] + options).exitCode
    }
    let (spaced, compact) = (#"{"name": ""#, #"{"name":""#)
    for command in ["mask", "explain"] {
      #expect(try await exitCode(command, spaced, ["--white-space", "spaced"]) == 0)
      #expect(try await exitCode(command, compact, ["--white-space", "spaced"]) == 1)
      #expect(try await exitCode(command, compact) == 0)
      guard let model = ProcessInfo.processInfo.environment["ESPALIER_MODEL"] else { continue }
      #expect(try await exitCode(command, spaced, ["--model", model]) == 0)
      #expect(try await exitCode(command, compact, ["--model", model]) == 1)
      let other = ["--model", model, "--white-space", "compact"]
      #expect(try await exitCode(command, compact, other) == 0)
    }
  }

  @Test func sampleAndGenerate() async throws {
    let folder = try TemporaryFolder()
    let schema = try folder.file("person.json", person)
    let first = try await espalier("sample", schema, "--count", "5", "--seed", "3")
    let second = try await espalier("sample", schema, "--count", "5", "--seed", "3")
    #expect(first.output == second.output && first.lines.count == 5)
    #expect(Set(first.lines).count > 1)
    for value in first.lines {
      #expect(try await espalier("validate", schema, input: value).exitCode == 0, "\(value)")
    }
    let other = try await espalier("sample", schema, "--count", "5", "--seed", "4")
    #expect(other.output != first.output)
    let streamed = try await espalier("generate", schema, "Who?", "--seed", "3")
    #expect(streamed.exitCode == 0)
    #expect(streamed.errors.contains("the sampling model, seed 3"))
    #expect(try await espalier("validate", schema, input: streamed.output).exitCode == 0)
    let report = try await espalier("generate", schema, "Who?", "--seed", "3", "--json")
    #expect(report.output.hasPrefix(#"{"value":{"name":"#))
    #expect(report.output.contains(#""model":"sampling""#))
    #expect(report.output.contains(#""shortened":false"#))
    let short = try await espalier("generate", schema, "Who?", "--maximum-tokens", "2")
    #expect(short.exitCode != 0 && short.errors.contains("The option is --maximum-tokens."))
    let pretty = try await espalier("generate", schema, "Who?", "--seed", "3", "--json", "--pretty")
    #expect(pretty.output.hasPrefix("{\n  \"value\": {\n    \"name\": "), "\(pretty.output)")
    #expect(report.output.contains(streamed.output.trimmingCharacters(in: .newlines)))
    for type in ["integer", "string", "boolean", "null"] {
      let scalar = try await espalier("generate", "-", "?", input: #"{"type":"\#(type)"}"#)
      #expect(scalar.lines.count == 1, "\(scalar.output)")
      #expect(type == "null" || scalar.lines != ["null"])
    }
    let nothing = try await espalier(
      "generate", "-", "?", input: #"{"type":"string","minLength":-1}"#)
    #expect(nothing.exitCode == 1)
    let model = try await espalier("generate", schema, "Who?", "--model", "/no/such.gguf")
    #expect(model.exitCode == 2)
  }

  @Test func benchAndModel() async throws {
    let bench = try await espalier("bench", "-", "--values", "2", "--json", input: person)
    let figures = try GeneratedContent(json: bench.output)
    #expect(figures["vocabulary"]?.asText == "single bytes")
    #expect(figures["vocabulary_tokens"]?.asInteger == 257)
    for name in ["compilation_us", "first_value_mask_max_us", "mask_p99_us", "step_p50_us"] {
      #expect(figures[name]?.asNumber ?? 0 > 0, "\(name)")
    }
    #expect(try await espalier("bench", "-", "--values", "0", input: person).exitCode == 64)
    let folder = try TemporaryFolder()
    let junk = try folder.file("junk.gguf", "This is no model.")
    let info = try await espalier("model", "info", junk)
    #expect(info.exitCode == 2 && info.errors.hasPrefix("error: "))
    let list = try await espalier("model", "list", "--json")
    #expect(
      list.exitCode == 0 && list.output.contains(#""file":"SmolLM2-135M-Instruct.Q4_1.gguf""#))
  }

  @Test func serveSaysWhyItDoesNotListen() async throws {
    let open = try await espalier("serve", "--host", "0.0.0.0", "--port", "0")
    #expect(open.exitCode == 2 && open.errors.contains("--key-variable"))
    let wrong = try await espalier(
      "serve", "--host", "300.1.1.1", "--port", "0", "--key-variable", "PATH")
    #expect(wrong.exitCode == 2 && wrong.errors.contains("'300.1.1.1' is no IP address"))
  }

  /// The parser of command lines ends the process where a description has no room.
  @Test func helpHasRoomOnAnyTerminal() async throws {
    for columns in ["1", "5", "26", "0", "-1"] {
      for product in ["espalier", "diet-log", "travel-companion"] {
        let help = try await CommandRun.run(
          product, ["--help"], environment: ["COLUMNS": columns])
        #expect(help.exitCode == 0, "\(product) \(columns)")
        #expect(help.output.contains("Show help"), "\(help.output)")
      }
    }
  }

  /// Words, and no dump of an error: a folder for models that cannot be made.
  @Test func fetchSaysWhereItCannotWrite() async throws {
    let run = try await CommandRun.run(
      "espalier", ["model", "fetch", "http://127.0.0.1:9/a.gguf"],
      environment: ["XDG_CACHE_HOME": "/dev/null/cache"])
    #expect(run.exitCode == 2)
    #expect(run.errors.hasPrefix("error: cannot write below '/dev/null/cache/espalier/models': "))
    #expect(!run.errors.contains("Error Domain"), "\(run.errors)")
  }

  @Test func completionScriptsAndHelp() async throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try await espalier("--generate-completion-script", shell)
      #expect(script.exitCode == 0 && script.output.contains("normalise"))
    }
    let help = try await espalier("--help")
    #expect(help.exitCode == 0 && help.output.contains("EXIT CODES"))
    #expect(help.output.contains("or the text is\n      not allowed\n  2   an input"))
    // Nothing that is not a terminal gets colours.
    #expect(!help.output.contains("\u{1B}["))
  }
}
