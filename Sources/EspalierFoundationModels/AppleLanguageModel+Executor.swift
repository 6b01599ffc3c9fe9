// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels) && !os(tvOS) && !os(watchOS)
  public import EspalierCore
  import FoundationModels
  import Synchronization

  // A session of this package runs tools itself: an executor sends the calls and ends, and is asked
  // again with the outputs. A session of Apple's runs tools too, within one request. So the request of
  // Apple's stays open over the rounds (`AppleRun`): a call suspends its tool there, the executor sends
  // the call and ends; asked again with the output, it gives the output to the suspended tool and goes
  // on. Calls at one time become rounds one after the other.

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension AppleLanguageModel {
    /// Asks the system's model.
    public struct Executor: EspalierCore.LanguageModelExecutor {
      /// What the system's model is used for, and what is checked.
      public struct Configuration: Hashable, Sendable {
        let tagsContent: Bool
        let checksAll: Bool
      }

      private let runs = OpenRun()

      public init(configuration: Configuration) throws {}

      public func prewarm(model: AppleLanguageModel, transcript: EspalierCore.Transcript) {
        Apple.Session(model: model.system, tools: [], transcript: Apple.Transcript(transcript))
          .prewarm()
      }

      public func respond(
        to request: EspalierCore.LanguageModelExecutorGenerationRequest, model: AppleLanguageModel,
        streamingInto channel: EspalierCore.LanguageModelExecutorGenerationChannel
      ) async throws {
        let run: AppleRun
        let open = runs.take()
        if let open, open.answer(request.transcript.outputsAtTheEnd) {
          run = open
        } else {
          open?.cancel()
          run = try AppleRun(request, model: model.system)
        }
        do {
          try await withTaskCancellationHandler {
            if try await run.next(into: channel) { runs.keep(run) }
          } onCancel: {
            run.cancel()
          }
        } catch {
          throw Own.error(error, contextSize: model.contextSize)
        }
      }
    }
  }

  /// The request of Apple's that waits for the outputs of tools; it is given up with the executor.
  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  private final class OpenRun: Sendable {
    private let run = Mutex<AppleRun?>(nil)

    /// The open request, which is then no longer kept.
    func take() -> AppleRun? {
      run.withLock { run in
        defer { run = nil }
        return run
      }
    }

    func keep(_ new: AppleRun) { run.withLock { $0 = new } }

    deinit { take()?.cancel() }
  }

  extension EspalierCore.Transcript {
    /// The outputs of tools that were the last to be said.
    fileprivate var outputsAtTheEnd: [ToolOutput] {
      reversed().prefix { if case .toolOutput = $0 { true } else { false } }.compactMap {
        if case .toolOutput(let output) = $0 { output } else { nil }
      }
    }
  }
#endif
