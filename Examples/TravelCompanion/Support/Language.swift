// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The languages that the companion speaks.
enum Language: String, ExpressibleByArgument, CaseIterable {
  case english, italiano

  func choose(_ english: String, _ italian: String) -> String {
    self == .english ? english : italian
  }

  var instructions: String {
    choose(
      "You are a travel companion. Answer in English, with places that exist.",
      "Sei un compagno di viaggio. Rispondi in italiano, con luoghi che esistono.")
  }

  func days(_ count: Int) -> String {
    count == 1 ? choose("1 day", "1 giorno") : "\(count) \(choose("days", "giorni"))"
  }
}
