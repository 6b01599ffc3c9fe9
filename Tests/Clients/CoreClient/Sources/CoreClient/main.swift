// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import EspalierServer

let dish = DynamicGenerationSchema(
  name: "Dish",
  properties: [.init(name: "name", schema: DynamicGenerationSchema(type: String.self))])
print(try GenerationSchema(root: dish, dependencies: []).jsonSchema())

// Work that only an optimised parser does in a moment, in a debug build.
var parser = GeneratedContentParser()
try parser.append("[")
for _ in 0..<100_000 { try parser.append(#"{"name":"Dumplings","price":12.5},"#) }
try parser.append("null]")
print(parser.isComplete)

// A client of a server needs no package either.
print(ServerProfile.vLLM.name)
