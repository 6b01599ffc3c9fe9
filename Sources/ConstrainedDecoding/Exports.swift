// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

@_exported public import ConstraintEngine
