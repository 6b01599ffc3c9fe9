import Foundation
import TestSupport
import Testing

@testable import EspalierLocal

@Suite struct GGUFFileTests {
  @Test func readsWhatWasWritten() throws {
    try withTemporaryFile(TinyModel.writer().file()) { path in
      let file = try GGUFFile(path: path)
      #expect(file.version == 3)
      #expect(file.metadata["llama.block_count"]?.integer == 2)
      #expect(file.tensors["blk.1.ffn_down.weight"]?.dimensions == [64, 32])
      #expect(file.tensors.count == 20)
    }
  }

  @Test func versionTwoIsRead() throws {
    var writer = TinyModel.writer()
    writer.version = 2
    try withTemporaryFile(writer.file()) { path in
      let file = try GGUFFile(path: path)
      #expect(file.version == 2)
    }
  }

  @Test func namesTheFieldThatIsWrong() throws {
    var bytes = TinyModel.writer().file()
    bytes[0] = 0
    try withTemporaryFile(bytes) { path in
      #expect { try GGUFFile(path: path) } throws: { ($0 as? GGUFError)?.field == "magic" }
    }
    var writer = GGUFWriter()
    writer.add("odd", [33], type: 2, [])
    try withTemporaryFile(writer.file()) { path in
      #expect { try GGUFFile(path: path) } throws: { ($0 as? GGUFError)?.field == "odd" }
    }
  }

  /// The header and the tensors are read when they are asked for; in between the file is cut.
  @Test func aFileThatShrinksIsAnError() throws {
    try withTemporaryFile(TinyModel.writer().file()) { path in
      let file = try GGUFFile(path: path)
      let parameters = try ModelParameters(metadata: file.metadata)
      let handle = try #require(FileHandle(forWritingAtPath: path))
      try handle.truncate(atOffset: 20_000)
      #expect {
        try Transformer(file: file, parameters: parameters)
      } throws: { error in
        (error as? GGUFError)?.field == "file" && (error as? GGUFError)?.offset == 20_000
      }
    }
  }

  /// What happens to the file of a model that is loaded changes nothing.
  @Test func aLoadedModelNeedsNoFile() throws {
    try withTemporaryFile(TinyModel.writer().file()) { path in
      let model = try GGUFTokenModel(path: path)
      let handle = try #require(FileHandle(forWritingAtPath: path))
      try handle.truncate(atOffset: 0)
      var context = model.makeContext()
      try context.append([1, 2, 3])
      var logits: [Float] = []
      context.nextLogits(into: &logits)
      #expect(logits.count == 259)
    }
  }

  /// What is no regular file is refused at once: nobody writes to the pipe, and the device never ends.
  @Test(.timeLimit(.minutes(5))) func pipesDevicesAndFoldersAreRefused() throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    for path in [pipe, "/dev/zero", "/dev/null", "/dev/tty", "/"] {
      #expect { try GGUFFile(path: path) } throws: { error in
        (error as? GGUFError)?.field == "file"
      }
    }
  }

  /// Every cut and many changed bytes: an error or a model, never a trap.
  @Test func survivesHostileFiles() throws {
    let bytes = TinyModel.writer().file()
    var generator = SeededGenerator(seed: 5)
    for round in 0..<300 {
      var hostile = bytes
      if round % 2 == 0 {
        hostile.removeLast(Int.random(in: 1...(hostile.count - 1), using: &generator))
      } else {
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          // The header is where counts and offsets are.
          hostile[Int.random(in: 0..<12_000, using: &generator)] =
            UInt8.random(in: .min ... .max, using: &generator)
        }
      }
      try withTemporaryFile(hostile) { path in
        guard let model = try? GGUFTokenModel(path: path) else {
          #expect(throws: GGUFError.self) { try GGUFTokenModel(path: path) }
          return
        }
        if round % 2 == 0 { Issue.record("A cut file was read, round \(round)") }
        var context = model.makeContext()
        try? context.append(Array(model.encode("hello", parsesSpecialTokens: false).prefix(3)))
      }
    }
  }
}
