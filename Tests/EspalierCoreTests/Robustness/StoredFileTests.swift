// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Synchronization
import Testing

/// Files that were saved earlier and are not what they were: the error says which file, where in it,
/// and what was expected.
@Suite struct StoredFileTests {
  private func error(_ body: () throws -> Void) throws -> StoredFileError {
    do {
      try body()
    } catch let error as StoredFileError {
      return error
    }
    Issue.record("It was read.")
    throw CancellationError()
  }

  private func withFile(_ text: String, _ body: (URL) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try body(file)
  }

  /// The JSON of a recording of one answer.
  private func recorded() async throws -> String {
    let recording = Recording()
    let model = RecordingLanguageModel(ScriptedLanguageModel([.text("Fine.")]), into: recording)
    try await LanguageModelSession(model: model).respond(to: "Hi")
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try recording.write(to: file)
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func whatIsNotThere() throws {
    let file = URL(filePath: "/nowhere/recording.json")
    for read in [{ _ = try Recording(contentsOf: file) }, { _ = try Transcript(contentsOf: file) }]
    {
      let error = try error(read)
      #expect(error.path == file.path)
      #expect(error.byteOffset == nil)
      #expect(
        error.problemDescription
          == "'/nowhere/recording.json' cannot be read: there is no such file."
      )
    }
  }

  @Test func aRecordingThatWasCutOff() async throws {
    let text = try await recorded()
    try withFile(String(text.prefix(text.count / 2))) { file in
      let error = try error { _ = try Recording(contentsOf: file) }
      #expect(error.path == file.path)
      #expect(error.byteOffset == text.utf8.count / 2)
      #expect(error.problem.contains("found the end of the text"))
    }
  }

  @Test(arguments: ["-1", "9223372036854775807", "99999999999999999999", "\"5\"", "1.5"])
  func aRecordingWithImpossibleCounts(count: String) async throws {
    let text = try await recorded()
    let place = try #require(text.range(of: #""tokens" : "#))
    let end = try #require(text[place.upperBound...].firstIndex { !$0.isNumber })
    let changed = text.replacingCharacters(in: place.upperBound..<end, with: count)
    try withFile(changed) { file in
      let error = try error { _ = try Recording(contentsOf: file) }
      let offset = try #require(error.byteOffset)
      // The part with the count, or the count itself.
      let found = changed.utf8.index(changed.startIndex, offsetBy: offset)
      #expect(changed[found...].prefix(500).contains(count), "\(error)")
      #expect(
        error.location.hasPrefix("/0/record/parts/0") || changed[found...].hasPrefix(count),
        "\(error)")
    }
  }

  @Test func aTranscriptWithAnUnknownEntry() throws {
    let transcript = Transcript(entries: [
      .prompt(.init(segments: [.text(.init(content: "Who?"))])),
      .response(.init(segments: [.text(.init(content: "Ada"))])),
    ])
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try transcript.write(to: file)
    #expect(try Transcript(contentsOf: file) == transcript)
    let text = try String(contentsOf: file, encoding: .utf8)
    let changed = text.replacingOccurrences(of: #""role":"response""#, with: #""role":"chorus""#)
    #expect(changed != text)
    try withFile(changed) { file in
      let error = try error { _ = try Transcript(contentsOf: file) }
      #expect(error.location == "/transcript/entries/1")
      let offset = try #require(error.byteOffset)
      let entry = changed.utf8.dropFirst(offset)
      #expect(entry.first == UInt8(ascii: "{"))
      #expect(String(decoding: entry, as: UTF8.self).contains("Ada"))
      #expect(!String(decoding: entry, as: UTF8.self).contains("Who?"))
      #expect(error.problem.contains("an entry with a known role"))
    }
  }

  /// The arguments of a call are a text in the file, which may be cut off where the file is not.
  @Test func aTranscriptWithHalfACall() throws {
    let text = """
      {"type":"FoundationModels.Transcript","version":1,"transcript":{"entries":[\
      {"role":"response","toolCalls":[{"name":"pay","arguments":"{\\"to\\":\\"Ada"}]}]}}
      """
    try withFile(text) { file in
      let error = try error { _ = try Transcript(contentsOf: file) }
      #expect(error.location == "/transcript/entries/0")
      #expect(
        error.byteOffset == text.utf8.count
          - #"{"role":"response","toolCalls":[{"name":"pay","arguments":"{\"to\":\"Ada"}]}]}}"#.utf8
          .count)
      #expect(error.problem.contains("found the end of the text"))
    }
  }

  /// A damaged file of a cache is told of, and the model is asked again.
  @Test func aCacheThatWasDamaged() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let errors = Mutex<[StoredFileError]>([])
    let model = ScriptedLanguageModel([.text("1"), .text("2"), .text("3")])
    func ask() async throws -> String {
      let cache = ResponseCache(
        folder: folder, report: { error in errors.withLock { $0.append(error) } })
      return try await LanguageModelSession(model: CachingLanguageModel(model, cache: cache))
        .respond(to: "Hi").content
    }
    #expect(try await ask() == "1")
    #expect(try await ask() == "1")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let file = try #require(files.first)
    let text = try String(contentsOf: file, encoding: .utf8)
    try Data(
      text.replacingOccurrences(of: #""tokens":1"#, with: #""tokens":9223372036854775807"#).utf8
    )
    .write(to: file)
    #expect(try await ask() == "2")
    #expect(errors.withLock { $0.map(\.path) } == [file.path])
    try Data(text.utf8.dropLast(3)).write(to: file)
    #expect(try await ask() == "3")
    #expect(errors.withLock { $0.last?.byteOffset } == text.utf8.count - 3)
  }
}
