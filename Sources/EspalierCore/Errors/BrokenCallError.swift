// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// An error of a model that may be about a call of a tool: the session's policy then says whether
/// the model is told.
package protocol BrokenCallError: Error {
  /// The tool that was called with arguments that break its schema; nil where something else failed.
  var brokenCallToolName: String? { get }
  /// What is wrong with the call, for the model: nothing of where the model runs.
  var brokenCallProblem: String { get }
}
