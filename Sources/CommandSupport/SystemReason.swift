// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

extension Error {
  /// What the system says is wrong with a file, in its words: `No space left on device`.
  ///
  /// Foundation's own description is often no more than a number.
  package var systemReason: String {
    let error = self as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard cause.domain == NSPOSIXErrorDomain, let code = Int32(exactly: cause.code) else {
      return localizedDescription
    }
    return String(cString: strerror(code))
  }
}
