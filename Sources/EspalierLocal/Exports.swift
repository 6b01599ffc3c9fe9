// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Model files and chat templates are part of this module's interface.
@_exported public import ChatTemplates
@_exported public import GGUFRuntime
