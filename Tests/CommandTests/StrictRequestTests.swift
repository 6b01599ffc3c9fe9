// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import EspalierCore
import Foundation
import Testing

@testable import ModelServing

/// `strict: true`: the declared members and no others.
@Suite struct StrictRequestTests {
  @Test(arguments: [true, false])
  func strictOfARequestIsKept(isStrict: Bool) throws {
    let schema = #"{"type":"object","properties":{"city":{"type":"string"}}}"#
    let body = """
      {"messages":[{"role":"user","content":"Hi"}],
       "response_format":{"type":"json_schema","json_schema":{"name":"x","strict":\(isStrict),"schema":\(schema)}},
       "tools":[{"type":"function","function":{"name":"f","strict":\(isStrict),"parameters":\(schema)}}]}
      """
    let request = try ServedRequest(.chat, body: Data(body.utf8))
    let written = try #require(request.schema).jsonSchema()
    #expect(written.contains(#""additionalProperties":false"#) == isStrict)
    let tool = try #require(request.tools.first).parameters.jsonSchema()
    #expect(tool.contains(#""additionalProperties":false"#) == isStrict)
  }
}
