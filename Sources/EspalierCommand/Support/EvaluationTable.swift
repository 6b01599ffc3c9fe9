// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import CommandSupport
import EspalierCore
import EspalierEvaluation
import EspalierServer

/// What models got right, side by side.
struct EvaluationTable {
  private(set) var text = ""

  init(_ reports: [(name: String, report: EvaluationReport)]) {
    var rows = [[""] + reports.map { Self.short($0.name) }]
    func row(_ name: String, _ value: (EvaluationReport) -> String) {
      rows.append([name] + reports.map { value($0.report) })
    }
    var known: Set<String> = []
    for path in reports.flatMap(\.report.fields).map(\.path) where known.insert(path).inserted {
      row(path) { report in
        report.fields.first { $0.path == path }.map { Self.share($0.right, $0.total) } ?? "–"
      }
    }
    row("fields") { Self.share($0.rightFieldCount, $0.fieldCount) }
    row("whole values") { Self.share($0.rightCount, $0.results.count) }
    row("valid") { Self.share($0.validCount, $0.results.count) }
    if reports.contains(where: { $0.report.results.contains { $0.answer.content == nil } }) {
      row("failed") { report in
        Self.share(report.results.count { $0.answer.content == nil }, report.results.count)
      }
    }
    row("seconds, median") { Self.seconds($0.duration(atShare: 0.5)) }
    row("seconds, 95 %") { Self.seconds($0.duration(atShare: 0.95)) }
    row("tokens") { String($0.tokenCount) }
    row("calls saved") { report in
      report.savedCallShare.map { "\(Int(($0 * 100).rounded())) %" } ?? "–"
    }
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].terminalWidth }.max() ?? 0
    }
    for row in rows {
      let cells = zip(row, widths).enumerated().map { index, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.terminalWidth)
        return index == 0 ? cell.0 + space : space + cell.0
      }
      text += cells.joined(separator: "  ") + "\n"
    }
  }

  /// The answers that are not right, with what was expected.
  static func differences(_ reports: [(name: String, report: EvaluationReport)]) -> String {
    var text = ""
    for (name, report) in reports {
      for result in report.results where !result.isRight {
        text += "\n\(short(name)), case \(result.item.name): \(result.item.prompt)\n"
        text +=
          "  " + (result.answer.content?.jsonString ?? result.answer.error.map { "\($0)" } ?? "")
          + "\n"
        guard result.answer.content != nil else { continue }
        for field in result.wrongFields {
          let expected = field.expected?.content.jsonString ?? "nothing"
          text +=
            "  \(field.path): expected \(expected), found "
            + "\(field.found?.jsonString ?? "nothing")\n"
        }
      }
    }
    return text
  }

  static func content(
    _ name: String, _ report: EvaluationReport, differences: Bool
  ) -> GeneratedContent {
    .members([
      "model": name, "cases": report.results.count, "right": report.rightCount,
      "failed": report.results.count { $0.answer.content == nil },
      "valid": report.validCount, "fields": report.fieldCount,
      "rightFields": report.rightFieldCount, "tokens": report.tokenCount,
      "savedCalls": report.savedCallShare.map { GeneratedContent($0) } ?? GeneratedContent(.null),
      "medianSeconds": number(report.duration(atShare: 0.5)),
      "fieldCounts": GeneratedContent(
        elements: report.fields.map {
          GeneratedContent(properties: ["path": $0.path, "right": $0.right, "total": $0.total])
        }),
      "differences": differences ? Self.differences(report) : nil,
    ])
  }

  private static func differences(_ report: EvaluationReport) -> GeneratedContent {
    GeneratedContent(
      elements: report.results.filter { !$0.isRight }.map { result in
        GeneratedContent.members([
          "case": result.item.name, "prompt": result.item.prompt,
          "expected": result.item.expected.content, "found": result.answer.content,
          "failure": result.answer.error.map { "\($0)" },
        ])
      })
  }

  /// Why models gave no value, the first time; nil where they always gave one.
  static func failures(_ reports: [(name: String, report: EvaluationReport)]) -> String? {
    let lines = reports.compactMap { name, report -> String? in
      let failed = report.results.filter { $0.answer.content == nil }
      guard let first = failed.first else { return nil }
      return "\(short(name)) gave no value to \(share(failed.count, report.results.count)) cases. "
        + "Case \(first.item.name): \(first.answer.error.map { "\($0)" } ?? "no reason")\n"
    }
    return lines.isEmpty ? nil : lines.joined()
  }

  private static func short(_ name: String) -> String {
    String(name.split(separator: "/").last ?? "model")
  }

  private static func share(_ right: Int, _ total: Int) -> String { "\(right) of \(total)" }

  private static func number(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  private static func seconds(_ duration: Duration) -> String {
    let hundredths = Int((number(duration) * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
