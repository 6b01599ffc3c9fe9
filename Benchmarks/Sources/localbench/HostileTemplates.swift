// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EspalierLocal
import Foundation

/// Times how soon templates that would run for ever, or take all memory, end with an error.
struct HostileTemplates: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile",
    abstract: "How soon chat templates that take too much end with an error.",
    discussion: """
      Prints for each template the median time, how much the process's most memory has grown, and \
      the error.
      """)

  @Argument(help: "More chat templates in Jinja, each of which has to end with an error.")
  var files: [String] = []
  @Option(help: "How often each is tried.") var rounds = 11

  func run() throws {
    var templates = Self.templates
    for file in files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      templates.append((URL(filePath: file).lastPathComponent, text))
    }
    var (slowest, largest) = (0.0, 0.0)
    for (name, text) in templates {
      let memory = peakResidentMegabytes()
      var message = "no error"
      let time = median(
        (0..<max(1, rounds)).map { _ in
          seconds {
            do {
              let template = try ChatTemplate(jinja: text)
              _ = try template.pieces(
                of: .init(messages: [.init(role: .user, content: "A question")]))
            } catch {
              message = "\(error)"
            }
          }
        })
      let growth = peakResidentMegabytes() - memory
      print("\(name): \(number(time * 1000)) ms, \(number(growth)) MB, \(message)")
      guard message != "no error" else { throw ExitCode.failure }
      (slowest, largest) = (max(slowest, time), max(largest, growth))
    }
    print("slowest \(number(slowest * 1000)) ms, most memory \(number(largest)) MB")
  }

  private func number(_ number: Double) -> String { String(format: "%.1f", number) }

  private static let templates: [(name: String, text: String)] = [
    (
      "loops within loops",
      "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
    ),
    ("a list that grows", grown("[1]", by: "ns.x + ns.x")),
    ("a text that doubles sixty times", grown("'ab'", by: "ns.x + ns.x", times: 60)),
    ("range of a billion", "{{ range(1000000000) }}"),
    ("a text of a billion", "{{ 'a' * 1000000000 }}"),
    ("a namespace in itself", "{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns.x }}"),
    ("nested namespaces", grown("0", by: "namespace(x=ns.x)")),
    (
      "nested namespaces, written out",
      "{% set ns = namespace() %}"
        + String(repeating: "{% set ns = namespace(x=ns) %}", count: 2100) + "{{ ns }}"
    ),
    (
      "nested namespaces, 150 kB",
      "{% set ns = namespace() %}"
        + String(repeating: "{% set ns = namespace(x=ns) %}", count: 5000) + "{{ ns }}"
    ),
    ("shared lists, written", grown("[1]", by: "[ns.x, ns.x]", times: 60) + "{{ ns.x }}"),
    (
      "shared lists, as JSON",
      grown("[1]", by: "[ns.x, ns.x]", times: 60) + "{{ ns.x | tojson }}"
    ),
    (
      "shared lists, compared",
      "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}"
        + "{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}"
    ),
    ("a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
    ("fifty thousand brackets", "{{ " + String(repeating: "[", count: 50_000) + " }}"),
  ]

  private static func grown(_ start: String, by step: String, times: Int = 100_000) -> String {
    "{% set ns = namespace(x=\(start)) %}"
      + "{% for i in range(\(times)) %}{% set ns.x = \(step) %}{% endfor %}"
  }
}
