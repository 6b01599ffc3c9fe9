// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Observation

// Skills as packages for the framework write them: instructions that a tool switches on.

@Observable
nonisolated final class ActiveSkills: @unchecked Sendable {
  private(set) var names: Set<String> = []
  func activate(_ name: String) { names.insert(name) }
}

nonisolated struct Skill {
  let name: String
  let instructions: String
}

nonisolated struct SkillBook: DynamicInstructions {
  let active: ActiveSkills
  let skills: [Skill]

  var body: some DynamicInstructions {
    Instructions { "Activate what fits." }

    DynamicInstructions.ForEach(skills, id: \.name) { skill in
      if active.names.contains(skill.name) {
        Instructions { "Skill: \(skill.name) [active]" }
        Instructions(skill.instructions)
      } else {
        Instructions { "Skill: \(skill.name) [inactive]" }
      }
    }

    ActivateSkill(names: skills.map(\.name), active: active)
  }
}

nonisolated struct ActivateSkill: Tool {
  let name = "activate_skill"
  let description = "Activates a skill."
  let parameters: GenerationSchema
  let active: ActiveSkills

  init(names: [String], active: ActiveSkills) {
    self.active = active
    parameters = try! GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Arguments",
        properties: [
          .init(
            name: "skill",
            schema: DynamicGenerationSchema(type: String.self, guides: [.anyOf(names)]))
        ]),
      dependencies: [])
  }

  func call(arguments: GeneratedContent) async throws -> Prompt {
    let skill = try arguments.value(String.self, forProperty: "skill")
    active.activate(skill)
    return Prompt { "Activated \(skill)." }
  }
}
