// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ModuleTests {}
