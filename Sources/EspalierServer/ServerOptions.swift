// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

public import EspalierCore

/// How a server is asked.
public struct ServerOptions: Sendable {
  /// What happens when a value breaks its schema.
  public var onBrokenSchema: BrokenSchemaPolicy
  /// The greatest number of tokens of transcript and response together; what the server says of
  /// itself where nil.
  public var contextSize: Int?
  /// How long a server may send nothing.
  public var idleTimeout: Duration
  /// How many likely tokens are told of beside each token of an answer, with their probabilities;
  /// none are asked for where nil. They are the value `logprobs` of the response's metadata.
  public var topLogProbabilities: Int?
  /// How many bytes of white space in a row are believed to lead to more of a value.
  public var whiteSpaceLimit: Int
  /// The greatest number of bytes of an answer, as it comes over the network.
  public var answerSizeLimit: Int
  /// Header fields for every request. A key belongs into ``ServerAPIKey``, which nothing prints.
  public var headers: [String: String]
  /// Members that are added to the body of every request, or take the place of those it has.
  public var extraFields: GeneratedContent?
  /// Where logs, metrics and traces go.
  public var telemetry: ServerTelemetry

  /// Creates options.
  ///
  /// - Parameters:
  ///   - onBrokenSchema: What happens when a value breaks its schema.
  ///   - contextSize: The greatest number of tokens of transcript and response together; what the
  ///     server says of itself where nil.
  ///   - idleTimeout: How long a server may send nothing.
  ///   - topLogProbabilities: How many likely tokens are told of beside each token of an answer.
  ///   - whiteSpaceLimit: How many bytes of white space in a row are believed to lead to more.
  ///   - answerSizeLimit: The greatest number of bytes of an answer.
  ///   - headers: Header fields for every request, none of them a key.
  ///   - extraFields: Members that are added to the body of every request.
  ///   - telemetry: Where logs, metrics and traces go.
  public init(
    onBrokenSchema: BrokenSchemaPolicy = .continueFromLastValidByte(2), contextSize: Int? = nil,
    idleTimeout: Duration = .seconds(300), topLogProbabilities: Int? = nil,
    whiteSpaceLimit: Int = 512, answerSizeLimit: Int = 64 << 20, headers: [String: String] = [:],
    extraFields: GeneratedContent? = nil, telemetry: ServerTelemetry = ServerTelemetry()
  ) {
    self.onBrokenSchema = onBrokenSchema
    self.contextSize = contextSize
    self.idleTimeout = idleTimeout
    self.topLogProbabilities = topLogProbabilities
    self.whiteSpaceLimit = whiteSpaceLimit
    self.answerSizeLimit = answerSizeLimit
    self.headers = headers
    self.extraFields = extraFields
    self.telemetry = telemetry
  }
}

/// What happens when a server sends a value that breaks its schema. Whatever it is, the connection is
/// closed at the first byte that cannot be right, and no such value reaches the app.
public enum BrokenSchemaPolicy: Sendable, Hashable {
  /// The request fails with ``ServerError``, which says what the server broke, and where.
  case fail
  /// The model is told what was wrong and asked again, up to so many times.
  case retry(Int)
  /// The model goes on after the last byte that was right, up to so many times. Where the server
  /// cannot go on with an answer, or that failed at the same place, it is asked again.
  case continueFromLastValidByte(Int)

  /// How often the model is asked again.
  var limit: Int {
    switch self {
    case .fail: 0
    case .retry(let count), .continueFromLastValidByte(let count): max(0, count)
    }
  }
}
