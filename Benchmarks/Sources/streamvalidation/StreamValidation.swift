// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import Foundation

/// Measures how many bytes a second a stream validator goes over, with one thread.
///
///     swift run -c release --package-path Benchmarks streamvalidation [MEGABYTES]
@main
enum StreamValidation {
  static let schema = """
    {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object",
     "properties": {"id": {"type": "integer", "minimum": 0}, "name": {"type": "string",
     "maxLength": 40}, "price": {"type": "number"}, "tags": {"type": "array", "items": {"enum":
     ["new", "used", "sold"]}}, "note": {"type": "string"}}, "required": ["id", "name"],
     "additionalProperties": false}}}, "required": ["items"]}
    """

  /// A document of about so many bytes, without randomness, so that every run reads the same.
  static func document(bytes: Int) -> [UInt8] {
    var text = "{\"items\": ["
    var index = 0
    while text.utf8.count < bytes {
      text += index == 0 ? "\n" : ",\n"
      text += """
        {"id": \(index % 997), "name": "Article no. \(index % 31)", "price": \(index % 89).\(index % 7),
          "tags": ["new", "sold"], "note": "\(String(repeating: "It is in good order. ", count: index % 9))"}
        """
      index += 1
    }
    return Array((text + "]}").utf8)
  }

  static func main() throws {
    let megabytes = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 16
    let bytes = document(bytes: megabytes << 20)
    for (name, schema) in [("any JSON", "{}"), ("a schema", schema)] {
      for chunk in [32, 4096] {
        var validator = try StreamValidator(jsonSchema: schema)
        let clock = ContinuousClock()
        let start = clock.now
        var at = 0
        while at < bytes.count {
          let end = min(at + chunk, bytes.count)
          validator.append(bytes[at..<end])
          at = end
        }
        let seconds = (clock.now - start) / .seconds(1)
        guard validator.finish() == .complete else {
          print("unexpected: \(validator.verdict)")
          exit(1)
        }
        let rate = Double(bytes.count) / 1_000_000 / seconds
        print("\(name), pieces of \(chunk) bytes: \(String(format: "%.1f", rate)) MB/s")
      }
    }
  }
}
