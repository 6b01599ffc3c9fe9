// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The executors of a session: one for each configuration.
final class ExecutorStore: Sendable {
  private struct Key: Hashable, Sendable {
    let executor: ObjectIdentifier
    let configuration: any Hashable & Sendable

    static func == (left: Key, right: Key) -> Bool {
      func areEqual<Value: Hashable>(_ value: Value) -> Bool {
        value == right.configuration as? Value
      }
      return left.executor == right.executor && areEqual(left.configuration)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(executor)
      hasher.combine(configuration)
    }
  }

  private let executors = Mutex<[Key: any Sendable]>([:])

  /// The executor of a model, made when it is first asked for.
  ///
  /// - Throws: What the executor's initialiser throws.
  func executor<Model: LanguageModel>(for model: Model) throws -> Model.Executor {
    let configuration = model.executorConfiguration
    let key = Key(
      executor: ObjectIdentifier(Model.Executor.self), configuration: configuration)
    return try executors.withLock { executors in
      if let executor = executors[key] as? Model.Executor { return executor }
      let executor = try Model.Executor(configuration: configuration)
      executors[key] = executor
      return executor
    }
  }
}
