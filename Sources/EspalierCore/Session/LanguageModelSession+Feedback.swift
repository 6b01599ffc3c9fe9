// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension LanguageModelSession {
  /// Makes a file of what a person says about the last response, with the transcript.
  ///
  /// - Returns: JSON, for the app to save or send. Nothing is sent from here.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredOutput: Transcript.Entry? = nil
  ) -> Data {
    var members: [(String, GeneratedContent)] = [
      ("type", .text("LanguageModelFeedback")), ("version", .integer(1)),
    ]
    if let sentiment { members.append(("sentiment", .text(sentiment.rawValue))) }
    members.append(
      (
        "issues",
        .list(
          issues.map { issue in
            var fields: [(String, GeneratedContent)] = [
              ("category", .text(issue.category.rawValue))
            ]
            if let explanation = issue.explanation {
              fields.append(("explanation", .text(explanation)))
            }
            return .object(fields)
          })
      ))
    // Metadata that cannot be encoded is the only thing that can fail: then without the transcript.
    if let transcript = try? TranscriptEncoding.document(for: transcript) {
      members.append(("transcript", transcript))
    }
    if let desiredOutput,
      let document = try? TranscriptEncoding.document(for: Transcript(entries: [desiredOutput]))
    {
      members.append(("desiredOutput", document))
    }
    return Data(GeneratedContent.object(members).jsonString.utf8)
  }

  /// Makes a file of what a person says about the last response, with the text they wanted.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseText: String?
  ) -> Data {
    logFeedbackAttachment(
      sentiment: sentiment, issues: issues,
      desiredOutput: desiredResponseText.map {
        .response(.init(segments: [.text(.init(content: $0))]))
      })
  }

  /// Makes a file of what a person says about the last response, with the value they wanted.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseContent: (any ConvertibleToGeneratedContent)?
  ) -> Data {
    logFeedbackAttachment(
      sentiment: sentiment, issues: issues,
      desiredOutput: desiredResponseContent.map {
        .response(
          .init(segments: [
            .structure(
              .init(schemaName: "\(type(of: $0))", content: $0.generatedContent))
          ]))
      })
  }
}
