import ArgumentParser
import EspalierLocal
import Foundation

/// Whether the likeliest tokens are those of llama.cpp, for 20 prompts.
///
/// Of a file with quantised weights, llama.cpp rounds the activations too, to eight bits; what that
/// changes depends on the order of its sums. So it is asked three times: as it comes, with caches of
/// 32 bits, and, where there is one, for a file of the same weights in 32 bits, which has no such
/// rounding (`expand.py` writes it).
struct Likeness: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The likeliest tokens after 20 prompts, against llama.cpp's.")

  @OptionGroup var options: ModelOptions

  @Option(help: "The same weights in 32 bits, written by Tests/References/expand.py.")
  var expanded: String?

  @Option(help: "How many tokens are compared after each prompt.")
  var count = 64

  private struct Answer: Decodable {
    var tokens: [Int]
    var leads: [Double]
  }

  func run() async throws {
    let path = try await options.path()
    let model = try options.open(path)
    let prompts = Prompts.questions.map { Prompts.tokens(of: $0, for: model) }
    let ours = try prompts.map { try answer(to: $0, model) }
    guard options.python != nil else {
      for tokens in ours {
        print(String(decoding: model.decode(tokens), as: UTF8.self).debugDescription)
      }
      return
    }
    let input = try JSONEncoder().encode(prompts)
    func theirs(_ path: String, _ flags: [String]) throws -> [Answer] {
      try options.reference(
        ["greedy", path, "--count", "\(count)"] + flags, input: input, as: [Answer].self) ?? []
    }
    let usual = try theirs(path, [])
    let precise = try theirs(path, ["--exact"])
    report("llama.cpp and itself with caches of 32 bits", precise.map(\.tokens), usual)
    report("ours and llama.cpp as it comes", ours, usual)
    report("ours and llama.cpp with caches of 32 bits", ours, precise)
    if let expanded {
      let exact = try theirs(expanded, ["--exact"])
      report("llama.cpp and itself with weights of 32 bits", usual.map(\.tokens), exact)
      report("ours and llama.cpp with weights of 32 bits", ours, exact)
    }
  }

  private func answer(to prompt: [Int], _ model: GGUFTokenModel) throws -> [Int] {
    var context = model.makeContext()
    try context.append(prompt)
    var logits: [Float] = []
    return try (0..<count).map { _ in
      context.nextLogits(into: &logits)
      let token = likeliest(logits)
      try context.append([token])
      return token
    }
  }

  private func report(_ name: String, _ first: [[Int]], _ second: [Answer]) {
    var same = 0
    var lines: [String] = []
    for (index, pair) in zip(first, second).enumerated() {
      let (tokens, answer) = pair
      guard let place = tokens.indices.first(where: { tokens[$0] != answer.tokens[$0] }) else {
        same += 1
        continue
      }
      lines.append(
        String(format: "%d at token %d (lead %.3f)", index + 1, place, answer.leads[place]))
    }
    show(name, "\(same) of \(second.count) alike")
    if !lines.isEmpty { print("    apart: " + lines.joined(separator: ", ")) }
  }
}
