// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConstrainedDecoding
import Foundation
import Workloads

/// A draft as the folders of the suite are named.
enum DraftName: String, ExpressibleByArgument, CaseIterable {
  case draft4 = "4"
  case draft6 = "6"
  case draft7 = "7"
  case draft2019 = "2019-09"
  case draft2020 = "2020-12"

  var draft: CompilationOptions.Draft {
    switch self {
    case .draft4: .draft4
    case .draft6: .draft6
    case .draft7: .draft7
    case .draft2019: .draft2019
    case .draft2020: .draft2020
    }
  }
}

/// Compares verdicts, keyword by keyword, on a workload made of a test suite.
///
/// Results of other engines on the same file are read from what their own script wrote, so that one
/// table shows them all.
@main
struct Keywords: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keywords", abstract: "Verdicts on a JSON Schema test suite, file by file.")

  @Option(help: "The suite: one schema with its instances a line.") var workload: String
  @Option(help: "A folder of documents that schemas refer to.") var remotes: String?
  @Option(help: "The URI of that folder.") var base = "http://localhost:1234/"
  @Option(help: "The draft of schemas that name none.") var draft = DraftName.draft2020
  @Option(help: "Results of another engine on the same workload, as JSON; may be repeated.")
  var peer: [String] = []
  @Option(help: "Where to write the table, as Markdown.") var markdown: String?
  @Option(help: "Where to write the verdicts, as JSON.") var out: String?
  @Flag(help: "Print every instance that is judged wrongly.") var verbose = false

  func run() throws {
    let records = try readWorkload(workload)
    let documents = try remotes.map { try readDocuments($0, base: base) } ?? [:]
    var tables = [
      EngineVerdicts(
        engine: "Espalier",
        schemas: records.map { verdict($0, documents) })
    ]
    for path in peer {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      tables.append(try JSONDecoder().decode(PeerFile.self, from: data).verdicts(on: records))
    }
    if let out {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(tables).write(to: URL(fileURLWithPath: out))
    }
    let text = table(records, tables)
    if let markdown { try text.write(toFile: markdown, atomically: true, encoding: .utf8) }
    print(text)
  }

  private func verdict(_ record: WorkloadRecord, _ documents: [String: String]) -> SchemaVerdict {
    var result = SchemaVerdict(id: record.id, file: record.split, instances: record.tests.count)
    var options = CompilationOptions.validation
    options.toleratesUnresolvedReferences = false
    options.documents = documents
    options.defaultDraft = draft.draft
    // Where the suite tests formats as assertions, it says so by the folder.
    options.assertsFormat = record.split.contains("optional/format")
    let grammar: Grammar
    do {
      grammar = try Grammar(jsonSchema: record.schema, options: options)
    } catch {
      result.error = "\(error)"
      if verbose { print("\(record.id): does not compile: \(error)") }
      return result
    }
    for (index, instance) in record.tests.enumerated() {
      var validator = StreamValidator(grammar: grammar)
      _ = validator.append(instance.text)
      let isTaken = validator.finish() == .complete
      if isTaken == instance.valid { continue }
      if instance.valid { result.refused.append(index) } else { result.accepted.append(index) }
      if verbose {
        print("\(record.id): \(instance.valid ? "refused" : "ACCEPTED") \(instance.text)")
      }
    }
    return result
  }

  /// A row a file, a column an engine: instances judged rightly of all, valid ones refused, invalid
  /// ones accepted, and schemas that do not compile.
  private func table(_ records: [WorkloadRecord], _ engines: [EngineVerdicts]) -> String {
    var files: [String] = []
    for record in records where !files.contains(record.split) { files.append(record.split) }
    var lines = ["| file | instances | " + engines.map(\.engine).joined(separator: " | ") + " |"]
    lines.append(String(repeating: "|---", count: engines.count + 2) + "|")
    func row(_ name: String, _ isIn: (SchemaVerdict) -> Bool) -> String {
      var cells = ["", ""]
      cells[0] = name
      for engine in engines {
        let mine = engine.schemas.filter(isIn)
        let total = mine.reduce(0) { $0 + $1.instances }
        cells[1] = "\(total)"
        let refused = mine.reduce(0) { $0 + $1.refused.count }
        let accepted = mine.reduce(0) { $0 + $1.accepted.count }
        let failed = mine.filter { $0.error != nil }
        let lost = failed.reduce(0) { $0 + $1.instances }
        var cell = "\(total - refused - accepted - lost)"
        var faults: [String] = []
        if refused > 0 { faults.append("\(refused) refused") }
        if accepted > 0 { faults.append("\(accepted) accepted") }
        if !failed.isEmpty { faults.append("\(failed.count) not compiled") }
        if !faults.isEmpty { cell += " (" + faults.joined(separator: ", ") + ")" }
        cells.append(cell)
      }
      return "| " + cells.joined(separator: " | ") + " |"
    }
    for file in files { lines.append(row(file) { $0.file == file }) }
    lines.append(row("**required files**") { !$0.file.hasPrefix("optional") })
    lines.append(row("**optional formats**") { $0.file.hasPrefix("optional/format/") })
    lines.append(
      row("**other optional files**") {
        $0.file.hasPrefix("optional") && !$0.file.hasPrefix("optional/format/")
      })
    return lines.joined(separator: "\n") + "\n"
  }
}
