// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks

extension HTTPServer {
  /// The port that is listened at; nil before.
  var listeningPort: UInt16? {
    switch listeningAddress {
    case .ip4(_, let port)?, .ip6(_, let port)?: port
    default: nil
    }
  }
}
