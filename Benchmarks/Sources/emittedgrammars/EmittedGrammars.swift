// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

/// Writes the schemas of a workload file as grammars of other engines, with our own verdicts on the
/// instances: what `Tests/Consumers/emitted_grammars.py` loads into those engines and compares.
///
///     swift run -c release --package-path Benchmarks emittedgrammars WORKLOAD.jsonl OUT.jsonl
@main
enum EmittedGrammars {
  struct Record: Decodable {
    struct Instance: Decodable { var valid: Bool, text: String }
    var id: String
    var schema: String
    var tests: [Instance]
  }

  struct Output: Encodable {
    struct Emission: Encodable {
      var text: String?
      var losses: [String] = []
      var error: String?
    }
    struct Verdict: Encodable { var text: String, valid: Bool, accepted: Bool }
    var id: String
    var error: String?
    var emissions: [String: Emission] = [:]
    var verdicts: [Verdict] = []
  }

  /// What the other engines' grammars can follow: declared order, canonical spelling; white space as
  /// it comes in the instances.
  static let options: CompilationOptions = {
    var options = CompilationOptions.generation
    options.whitespace = .any
    options.toleratesUnresolvedReferences = true
    return options
  }()

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      print("usage: emittedgrammars WORKLOAD.jsonl OUT.jsonl")
      exit(2)
    }
    let text = try String(contentsOfFile: arguments[1], encoding: .utf8)
    let decoder = JSONDecoder()
    let encoder = JSONEncoder()
    FileManager.default.createFile(atPath: arguments[2], contents: nil)
    guard let file = FileHandle(forWritingAtPath: arguments[2]) else { return }
    for line in text.split(separator: "\n") {
      let record = try decoder.decode(Record.self, from: Data(line.utf8))
      file.write(try encoder.encode(output(record)) + Data("\n".utf8))
    }
    try file.close()
  }

  static func output(_ record: Record) -> Output {
    var output = Output(id: record.id)
    let grammar: Grammar
    do {
      grammar = try Grammar(jsonSchema: record.schema, options: options)
    } catch {
      output.error = "\(error)"
      return output
    }
    for dialect in EmittedGrammar.Dialect.allCases {
      var emission = Output.Emission()
      do {
        let emitted = try grammar.emitted(as: dialect)
        emission.text = emitted.text
        emission.losses = emitted.losses.map(\.description)
      } catch {
        emission.error = "\(error)"
      }
      output.emissions["\(dialect)"] = emission
    }
    for instance in record.tests {
      var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
      let isRead = (try? matcher.accept(bytes: instance.text.utf8)) != nil
      let isAccepted = isRead && matcher.canEnd()
      output.verdicts.append(
        .init(text: instance.text, valid: instance.valid, accepted: isAccepted))
    }
    return output
  }
}
