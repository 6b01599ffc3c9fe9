// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// The command-line tool: what the library does with schemas, values and models, without writing
/// Swift.
@main
struct EspalierCommand: AsyncParsableCommand {
  static func main() async {
    TextWidth.widen()
    await main(nil)
  }

  static let configuration = CommandConfiguration(
    commandName: "espalier",
    abstract: "JSON Schemas, token masks and structured generation.",
    discussion: """
      EXIT CODES
        0   yes, or done
        1   no: the schema cannot be honoured, the value is not valid, or the text is
            not allowed
        2   an input could not be read, or 'serve' cannot start as it was asked to
        3   the model failed
        64  the command line is wrong
        74  the output could not be written: a full device, a closed pipe

      A file named - is the standard input. Colours and progress appear on a terminal only, and never \
      where NO_COLOR is set. Completion scripts: espalier --generate-completion-script zsh|bash|fish
      """,
    version: "1.0.0-beta.1",
    subcommands: [
      SchemaCommand.self, ExplainCommand.self, GrammarCommand.self, ValidateCommand.self,
      MaskCommand.self,
      SampleCommand.self, GenerateCommand.self, EvaluateCommand.self, ServeCommand.self,
      ModelCommand.self,
      BenchCommand.self,
    ])
}
