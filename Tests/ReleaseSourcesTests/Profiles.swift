// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier

// Profiles, dynamic instructions and values of sessions as apps write them.

nonisolated final class Counter {
  var value = 0
}

// Tools run off the main actor, and what they share with a session is not isolated to it either.
nonisolated extension SessionPropertyValues {
  @SessionPropertyEntry var mode = "plan"
  @SessionPropertyEntry var activated: [String: Bool] = [:]
  @SessionPropertyEntry var answers: Counter?
}

struct ShortProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  var body: some DynamicProfile { Profile { "x" } }
}

struct SwitchMode: Tool {
  let description = "Switches the mode."
  @SessionProperty(\.mode) var mode
  @SessionProperty(\.activated) var activated

  @Generable struct Arguments { var mode: String }

  func call(arguments: Arguments) -> String {
    mode = arguments.mode
    activated[arguments.mode] = true
    return "Now \(arguments.mode)."
  }
}

struct ModeInstructions: DynamicInstructions {
  @SessionProperty(\.mode) var mode
  var body: some DynamicInstructions {
    "The mode is \(mode)."
    SwitchMode()
  }
}

struct Planner: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.mode) var mode
  @SessionProperty(\.answers) var answers

  var body: some DynamicProfile {
    switch mode {
    case "plan":
      Profile { ModeInstructions() }.temperature(0.25)
    default:
      Profile { ModeInstructions() }.onResponse { answers?.value += 1 }
    }
  }
}

struct Warm: LanguageModelSession.DynamicProfile {
  let model: ScriptedLanguageModel
  // The temperature nearest to the profile counts.
  var body: some DynamicProfile { Planner().temperature(0.75).model(model) }
}

struct DebugModifier: LanguageModelSession.DynamicProfileModifier {
  @SessionProperty(\.mode) var mode
  let note: @Sendable (String) -> Void
  func body(content: Content) -> some DynamicProfile {
    content
      .onPrompt { note("prompt in \(mode)") }
      .onResponse { response in note("\(response)") }
  }
}

@Generable nonisolated enum Ticket: Equatable {
  case trip(`in`: String, `for`: Int, `let`: Bool)
  case `default`(`self`: Int)
}
