// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Espalier
import Foundation

@Generable(description: "A dish")
struct Dish {
  @Guide(description: "Its name") var name: String
  @Guide(.count(1...3)) var courses: [Course]
  var prices: [String: Double]
  var tags: Set<String>
  var side: Side?
}

@Generable enum Course { case starter, main, dessert }

@Generable enum Side {
  case salad(dressing: String?)
  case bread(slices: Int)
}

// The script compares this output between processes, each of which has another seed for its hashes.
for dialect in [SchemaDialect.foundationModels, .draft2020, .draft7] {
  print(try Dish.generationSchema.jsonSchema(dialect: dialect))
}
let encoder = JSONEncoder()
encoder.outputFormatting = .sortedKeys
print(String(decoding: try encoder.encode(Dish.generationSchema), as: UTF8.self))
let dish = Dish(
  name: "Gyoza", courses: [.main], prices: ["small": 4.5, "large": 7, "huge": 9],
  tags: ["hot", "cheap", "fried", "good"], side: .bread(slices: 2))
print(dish.generatedContent.jsonString)
