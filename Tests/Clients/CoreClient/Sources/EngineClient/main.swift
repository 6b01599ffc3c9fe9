// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import ConstrainedDecoding

let grammar = try Grammar(jsonSchema: #"{"type":"integer","minimum":10,"maximum":12}"#)
var matcher = Matcher(grammar: grammar, vocabulary: .singleBytes)
try matcher.accept(bytes: "11".utf8)
print(matcher.canEnd() ? "11 is a whole value" : "11 is not enough")
