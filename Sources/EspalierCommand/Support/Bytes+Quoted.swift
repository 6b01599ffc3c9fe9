// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding
import EspalierCore

extension [UInt8] {
  /// The bytes of a token as a person reads them, in quotes: of a part of a character its bytes.
  var shownInQuotes: String {
    let inner = shown { text in
      String(GeneratedContent(text).jsonString.unicodeScalars.dropFirst().dropLast())
    }
    return "\"\(inner)\""
  }
}
