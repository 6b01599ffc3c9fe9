// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import EspalierLocal
import Foundation

extension ModelCommand {
  /// `espalier model prompt`
  struct Prompt: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print what a conversation becomes for a model, byte for byte.",
      discussion: """
        CONVERSATION is a JSON object of what 'transformers' hands a chat template: messages, \
        tools, add_generation_prompt, bos_token, eos_token, and any other variable of the template.
        """)

    @Argument(
      help: "A chat template (FILE.jinja), a GGUF file that has one, or smollm2.",
      completion: .file())
    var template: String
    @Argument(help: "A JSON file; - for the standard input.", completion: .file())
    var conversation: String
    @Option(help: "The date for templates that tell it, as 2026-07-04T09:05:03; now if left out.")
    var date: String?

    func run() throws {
      let date = try self.date.map(Self.date(of:)) ?? Self.now()
      let template = try chatTemplate()
      let conversation = try Inputs.bytes(of: conversation)
      do {
        FileHandle.standardOutput.write(
          Data(try template.text(ofJSON: conversation, date: date)))
      } catch {
        throw Failure.no.report("\(error)")
      }
    }

    private func chatTemplate() throws -> ChatTemplate {
      var path = template
      if ModelSource(template) == .smolLM2 {
        guard ModelFolder().contains(.smolLM2) else {
          throw Failure.unreadable.report(
            "smollm2 is not there yet: run 'espalier model fetch'")
        }
        path = ModelFolder().path(of: .smolLM2)
      }
      do {
        if path.hasSuffix(".gguf") {
          return ChatTemplate(metadata: try GGUFFile(path: path).metadata)
        }
        return try ChatTemplate(jinja: try Inputs.text(of: path))
      } catch let error as ExitCode {
        throw error
      } catch {
        throw Failure.unreadable.report("\(error)")
      }
    }

    private static func date(of text: String) throws -> ChatTemplate.Date {
      let parts = text.split { !$0.isNumber }.compactMap { Int($0) }
      guard parts.count == 3 || parts.count >= 5, (1...12).contains(parts[1]),
        (1...31).contains(parts[2])
      else {
        throw Failure.unreadable.report("'\(text)' is no date such as 2026-07-04T09:05:03")
      }
      return ChatTemplate.Date(
        year: parts[0], month: parts[1], day: parts[2], hour: parts.count > 3 ? parts[3] : 0,
        minute: parts.count > 4 ? parts[4] : 0, second: parts.count > 5 ? parts[5] : 0)
    }

    private static func now() -> ChatTemplate.Date {
      let parts = Calendar(identifier: .gregorian).dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Foundation.Date())
      return ChatTemplate.Date(
        year: parts.year ?? 1, month: parts.month ?? 1, day: parts.day ?? 1,
        hour: parts.hour ?? 0, minute: parts.minute ?? 0, second: parts.second ?? 0)
    }
  }
}
