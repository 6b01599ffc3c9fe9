// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import EspalierLocal
@testable import GGUFRuntime

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

  /// What is said before loading is what loading takes, for every form of weights and family.
  @Test(
    arguments: [
      "llama", "phi3", "gpt-oss", "lfm2", "qwen35moe", "granitehybrid", "nemotron_h_moe",
      "deepseek2",
    ],
    [GGUFTensorType.f32, .q4_1])
  func requirementsAreThoseOfTheModel(architecture: String, type: GGUFTensorType) throws {
    let shape = TinyModel.Shape.showing(architecture, .wide)
    let writer = TinyModel.writer(architecture: architecture, shape: shape, type: type)
    try withTemporaryFile(writer.file()) { path in
      let needed = try GGUFTokenModel.Requirements(path: path)
      var loader = WeightLoader(file: try GGUFFile(path: path))
      let parameters = try ModelParameters(metadata: loader.file.metadata)
      _ = try TransformerWeights(&loader, parameters: parameters)
      #expect(needed.weightBytes == loader.byteCount)
      #expect(needed.weightBytes > 100_000 && needed.contextSize == 512)
      #expect(
        (needed.bytesPerSequence > 0)
          == TinyModel.Shape.isRecurrent(architecture))
      #expect(
        needed.bytes(forTokens: 100) == needed.weightBytes + needed.bytesPerSequence
          + 100 * needed.bytesPerToken)
    }
    // The rows of every tensor are found, none is read: without its end the file is refused.
    try withTemporaryFile(Array(writer.file().dropLast(64))) { path in
      #expect(throws: GGUFError.self) { try GGUFTokenModel.Requirements(path: path) }
    }
  }

  @Test func anUnknownFamilyIsNamed() throws {
    try withTemporaryFile(TinyModel.writer(architecture: "mamba").file()) { path in
      #expect { try GGUFTokenModel.Requirements(path: path) } throws: { error in
        "\(error)".contains("'mamba'") && "\(error)".contains("qwen35")
      }
    }
  }

  /// A text that is cut in another way would be other tokens than those that the model was taught.
  @Test func anUnknownPreTokenizerIsNamed() throws {
    let file = TinyModel.writer().file()
    let place = try #require(file.firstRange(of: Array("smollm".utf8)))
    var other = file
    other.replaceSubrange(place, with: Array("smelly".utf8))
    try withTemporaryFile(other) { path in
      #expect { try GGUFTokenModel.Requirements(path: path) } throws: { error in
        "\(error)".contains("'smelly'") && "\(error)".contains("Take a file of another model")
      }
    }
  }

  @Test func aModelThatSeesIsNamed() throws {
    let writer = TinyModel.writer(architecture: "glm4") {
      $0.set("glm4.rope.dimension_sections", [Int32(2), 1, 1, 0])
    }
    try withTemporaryFile(writer.file()) { path in
      #expect { try GGUFTokenModel.Requirements(path: path) } throws: { error in
        "\(error)".contains("rope.dimension_sections") && "\(error)".contains("that see")
      }
    }
  }

  /// What a file asks for and the runtime does not do is told, with what to do.
  @Test(arguments: [
    ("deepseek2", "expert_group_count", "4 groups of experts are not read: take another model."),
    ("deepseek2", "rope.scaling.yarn_log_multiplier", "found none"),
    ("nemotron_h_moe", "moe_latent_size", "are not read: take another model."),
  ])
  func whatIsNotReadIsNamed(architecture: String, field: String, words: String) throws {
    let shape = TinyModel.Shape.showing(architecture)
    let writer = TinyModel.writer(architecture: architecture, shape: shape) {
      if field.hasPrefix("rope") {
        $0.set("\(architecture).rope.scaling.type", "yarn")
        $0.set("\(architecture).rope.scaling.factor", Float(4))
      } else {
        $0.set("\(architecture).\(field)", UInt32(4))
      }
    }
    try withTemporaryFile(writer.file()) { path in
      let error = #expect(throws: GGUFError.self) { try GGUFTokenModel.Requirements(path: path) }
      #expect(error?.field == "\(architecture).\(field)")
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
  }

  /// Files of Phi-3 for long sequences name the scaling that their factors are for; how long sequences
  /// may become says which factors are taken, and a prompt saved with others is not taken back.
  @Test func longSequencesHaveFactorsOfTheirOwn() throws {
    var writer = TinyModel.writer(architecture: "phi3") {
      $0.set("phi3.rope.scaling.type", "longrope")
      $0.set("phi3.rope.scaling.original_context_length", UInt32(128))
    }
    writer.add("rope_factors_long.weight", [4], [2, 3, 4, 8])
    writer.add("rope_factors_short.weight", [4], [1, 1, 1, 1])
    let plain = TinyModel.writer(architecture: "phi3")
    func logits(_ model: GGUFTokenModel) throws -> [Float] {
      var context = model.makeContext()
      try context.append([1, 2, 3, 4])
      var logits: [Float] = []
      context.nextLogits(into: &logits)
      return logits
    }
    let expected = try withTemporaryFile(plain.file()) { try logits(GGUFTokenModel(path: $0)) }
    try withTemporaryFile(writer.file()) { path in
      let (long, short) = (
        try GGUFTokenModel(path: path),
        try GGUFTokenModel(path: path, options: .init(contextSize: 128))
      )
      #expect(try logits(short) == expected)
      #expect(try logits(long) != expected)
      let saved = path + ".saved"
      defer { try? FileManager.default.removeItem(atPath: saved) }
      var context = long.makeContext()
      try context.append([1, 2, 3, 4])
      try context.save(to: saved)
      #expect(long.makeContext(reading: [1, 2, 3, 4], savedAt: saved) != nil)
      #expect(short.makeContext(reading: [1, 2, 3, 4], savedAt: saved) == nil)
    }
  }

  /// A bias that no code reads would make every answer wrong.
  @Test func aBiasThatIsNotReadIsNamed() throws {
    for name in ["blk.1.attn_norm.bias", "output.bias"] {
      var writer = TinyModel.writer()
      writer.add(name, [32], [Float](repeating: 1, count: 32))
      try withTemporaryFile(writer.file()) { path in
        #expect { try GGUFTokenModel.Requirements(path: path) } throws: {
          ($0 as? GGUFError)?.field == name
        }
        #expect { try GGUFTokenModel(path: path) } throws: { ($0 as? GGUFError)?.field == name }
      }
    }
    // Layers beyond the model's own only guess tokens ahead.
    var writer = TinyModel.writer()
    writer.add("blk.2.ffn_down.bias", [32], [Float](repeating: 1, count: 32))
    try withTemporaryFile(writer.file()) { path in
      #expect(throws: Never.self) { try GGUFTokenModel(path: path) }
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

  /// A model in three files gives the logits of the same model in one, whichever part is named.
  @Test func aModelInSeveralFilesIsRead() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let whole = TinyModel.writer()
    let parts = whole.split(into: 3)
    let paths = (1...3).map { folder.appending(path: "m-0000\($0)-of-00003.gguf") }
    for (part, path) in zip(parts, paths) { try Data(part.file()).write(to: path) }
    func logits(_ path: String) throws -> [Float] {
      var context = try GGUFTokenModel(path: path).makeContext()
      try context.append([1, 2, 3])
      var logits: [Float] = []
      context.nextLogits(into: &logits)
      return logits
    }
    let expected = try withTemporaryFile(whole.file()) { try logits($0) }
    for path in paths { #expect(try logits(path.path) == expected) }
    // Under another name its other parts cannot be found; a part that is missing is named.
    let renamed = folder.appending(path: "model.gguf")
    try FileManager.default.copyItem(at: paths[0], to: renamed)
    #expect { try GGUFFile(path: renamed.path) } throws: { error in
      "\(error)".contains("part 1 of 3") && "\(error)".contains("-00001-of-00003.gguf")
    }
    try FileManager.default.removeItem(at: paths[1])
    #expect { try GGUFFile(path: paths[2].path) } throws: { error in
      "\(error)".contains("m-00002-of-00003.gguf") && "\(error)".contains("part 2 of 3")
    }
  }

  @Test func namesTheFieldThatIsWrong() throws {
    var bytes = TinyModel.writer().file()
    bytes[0] = 0
    try withTemporaryFile(bytes) { path in
      #expect { try GGUFFile(path: path) } throws: {
        ($0 as? GGUFError)?.field == "magic" && ($0 as? GGUFError)?.kind == .otherContent
      }
    }
    var writer = GGUFWriter()
    writer.add("odd", [33], type: 2, [])
    try withTemporaryFile(writer.file()) { path in
      #expect { try GGUFFile(path: path) } throws: { ($0 as? GGUFError)?.field == "odd" }
    }
    writer = GGUFWriter()
    writer.add("small", [256], type: 16, [])
    try withTemporaryFile(writer.file()) { path in
      #expect { try GGUFFile(path: path) } throws: { error in
        "\(error)".contains("IQ2_XXS") && "\(error)".contains("Q4_K_M")
      }
    }
  }

  /// What people give by mistake is named, with what to do.
  @Test(arguments: [
    ("<!DOCTYPE html><html>", "web page"), ("\n <html>", "web page"),
    ("version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    ("PK\u{3}\u{4}\u{14}", "PyTorch"), (#"{"model_type": "llama"}"#, "JSON"),
    ("\u{40}\u{1}\0\0\0\0\0\0{\"__metadata__\":{}", "safetensors"),
    ("tjgg\u{3}\0\0\0", "before GGUF"), ("GGUF\0\0\0\u{3}", "big-endian"),
    (String(repeating: "\0", count: 100), "not complete"), ("abcdefgh", "no model file"),
  ]) func otherFilesAreNamed(text: String, word: String) throws {
    try withTemporaryFile(Array(text.utf8)) { path in
      #expect { try GGUFFile(path: path) } throws: { "\($0)".contains(word) }
    }
  }

  /// Files of the form that are no whole language model say so themselves.
  @Test(arguments: [
    ("llama", "adapter", "LoRA"), ("clip", "mmproj", "sees"), ("clip", nil, "sees"),
    ("llama", "imatrix", "quantise"),
  ]) func partsOfModelsAreNamed(architecture: String, type: String?, word: String) throws {
    var writer = GGUFWriter()
    writer.set("general.architecture", architecture)
    if let type { writer.set("general.type", type) }
    try withTemporaryFile(writer.file()) { path in
      #expect { try GGUFTokenModel(path: path) } throws: { "\($0)".contains(word) }
    }
  }

  @Test func partsAndFoldersAreNamed() throws {
    let part = TinyModel.writer().split(into: 50)[49]
    try withTemporaryFile(part.file()) { path in
      #expect { try GGUFFile(path: path) } throws: { "\($0)".contains("part 50 of 50") }
    }
    #expect { try GGUFFile(path: "/") } throws: { "\($0)".contains("a folder") }
    #expect { try GGUFFile(path: "/nowhere/x.gguf") } throws: {
      "\($0)".contains("no file '/nowhere")
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

  /// The numbers that layers take in stay in the file: without them a request is an error, and with
  /// them again it goes on as if nothing had been.
  @Test func whatStaysInTheFileIsNeeded() throws {
    let shape = TinyModel.Shape.showing("gemma4")
    let bytes = TinyModel.writer(architecture: "gemma4", shape: shape).file()
    try withTemporaryFile(bytes) { path in
      let model = try GGUFTokenModel(path: path)
      var (context, other) = (model.makeContext(), model.makeContext())
      try other.append([1, 2, 3])
      try context.append([1])
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.truncate(atOffset: 100)
      #expect { try context.append([2]) } throws: { ($0 as? GGUFError)?.field == "file" }
      var contexts = [context, context]
      let errors = GGUFTokenModel.Context.append(
        [[2], [2]], to: &contexts, preparingLogits: [true, true])
      #expect(errors.allSatisfy { ($0 as? GGUFError)?.field == "file" })
      try file.seek(toOffset: 0)
      try file.write(contentsOf: Data(bytes))
      try context.append([2, 3])
      try contexts[1].append([2, 3])
      var (logits, expected): ([Float], [Float]) = ([], [])
      context.nextLogits(into: &logits)
      other.nextLogits(into: &expected)
      #expect(logits == expected)
      contexts[1].nextLogits(into: &logits)
      #expect(logits == expected)
    }
  }

  /// What is no regular file is refused at once: nobody writes to the pipe, and the device never ends.
  @Test(.timeLimit(.minutes(30))) func pipesDevicesAndFoldersAreRefused() throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    for path in [pipe, "/dev/zero", "/dev/null", "/dev/tty", "/"] {
      #expect { try GGUFFile(path: path) } throws: { error in
        (error as? GGUFError)?.field == "file" && (error as? GGUFError)?.kind == .unreadable
      }
    }
  }

  /// Every cut and many changed bytes: an error or a model, never a trap.
  @Test(arguments: ["llama", "gemma4"]) func survivesHostileFiles(architecture: String) throws {
    let bytes = TinyModel.writer(architecture: architecture, shape: .showing(architecture)).file()
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
