// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Files that people take for a model file, told by their first bytes.
enum OtherFile {
  /// How many bytes are looked at.
  static let headCount = 64

  /// What a file is that is no GGUF file, and what to do; nil where nobody knows.
  static func description(of head: [UInt8]) -> String? {
    let convert =
      "Take a GGUF file of the model, or convert it with llama.cpp's 'convert_hf_to_gguf.py'."
    func begins(_ text: String) -> Bool { head.starts(with: text.utf8) }
    if begins("version https://git-lfs") {
      return "a pointer of Git LFS, not the file itself. Fetch that with 'git lfs pull'."
    }
    if begins("PK\u{3}\u{4}") { return "a zip archive, as PyTorch writes models. \(convert)" }
    // The length of a JSON text, and the text.
    if head.count > 9, head[8] == UInt8(ascii: "{"), head[5...7].allSatisfy({ $0 == 0 }) {
      return "a file of safetensors. \(convert)"
    }
    let old = ["lmgg", "fmgg", "tjgg", "algg"]
    if old.contains(where: begins) {
      return "a file of llama.cpp before GGUF. Take a GGUF file of the model."
    }
    let text = head.drop { $0 == 0x20 || 0x09...0x0D ~= $0 }
    switch text.first {
    case UInt8(ascii: "<"):
      return "a web page. Download the file itself: its address ends in '.gguf'."
    case UInt8(ascii: "{"): return "JSON. Give the path of the model file itself."
    default: break
    }
    if head.count >= 16, head.allSatisfy({ $0 == 0 }) {
      return "zeros: the download is not complete."
    }
    return nil
  }
}
