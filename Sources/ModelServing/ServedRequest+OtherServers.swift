// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

/// Members that vLLM, llama-server and hosts know and that are of no consequence here.
extension ServedRequest {
  mutating func readOtherServersFields(_ fields: inout FieldReader) throws {
    // How a server is to work: nothing of the answer depends on them.
    fields.ignore(
      "guided_decoding_backend", "cache_prompt", "id_slot", "priority", "request_id", "keep_alive",
      "ttl", "prediction", "spaces_between_special_tokens", "timings_per_token", "return_tokens",
      "length_penalty")
    // Clients write out what these are without them.
    for name in ["repetition_penalty", "repeat_penalty", "typical_p", "tfs_z", "best_of"] {
      try fields.requireNeutral(name, 1.generatedContent)
    }
    for name in ["min_p", "mirostat", "dry_multiplier", "xtc_probability", "min_tokens"] {
      try fields.requireNeutral(name, 0.generatedContent)
    }
    for name in [
      "use_beam_search", "ignore_eos", "echo", "include_stop_str_in_output",
      "continue_final_message", "add_special_tokens",
    ] {
      try fields.requireNeutral(name, false.generatedContent)
    }
    for name in ["skip_special_tokens", "add_generation_prompt"] {
      try fields.requireNeutral(name, true.generatedContent)
    }
    try fields.requireNeutral("stop_token_ids", .items([]))
    try fields.require(
      "functions", [.items([])], otherwise: "'tools' is what took its place at OpenAI.")
    try fields.require(
      "function_call", ["auto".generatedContent, "none".generatedContent],
      otherwise: "'tool_choice' is what took its place at OpenAI.")
    let limit = try fields.integer("n_predict", atLeast: -1)
    guard let limit, limit >= 0, options.maximumResponseTokens == nil else { return }
    guard limit > 0 else {
      throw ServeProblem(400, "Expected -1, or an integer of at least 1, found 0.", at: "n_predict")
    }
    options.maximumResponseTokens = limit
  }
}
