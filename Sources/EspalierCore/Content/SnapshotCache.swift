// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// The lists of a response, each element made once.
//
// Whoever streams a response makes a typed value of all that has come after each token. Were a list
// made anew each time, the token after the thousandth element would cost a hundred times what the
// one after the tenth did. So the elements that are complete are kept by where the list starts, and
// a snapshot makes only those that have come since, and the last, which may still grow:
//
//     snapshot 1   {"days":[{"n":1},{"n":2     makes 1 and what there is of 2
//     snapshot 2   {"days":[{"n":1},{"n":2}    drops the beginning of 2, makes 2
//     snapshot 3   {"days":[{"n":1},{"n":2},   nothing to make
//
// The kept array changes in place where no one holds the snapshot before; else it is copied. What
// has a complete list around it is never asked for again, so its own lists are let go of.
//
// A list finds the cache by a task-local value, for between it and the stream are initialisers that
// macros and apps write. Types need not be sendable, and an element goes into more than one
// snapshot. That is sound within one iterator: it hands out all of them, so they belong to whoever
// it belongs to. Another task that an initialiser starts has the task-local value too, so a list
// asks whether the task is the iterator's.

import IncrementalJSON

/// The lists that the snapshots of one iterator have in common.
final class SnapshotCache {
  /// The lists by where they start; those in a list that is kept come after it.
  private var lists: [(start: UInt64, list: AnyObject)] = []
  /// Of which parse they are: what ends a response may have been read anew.
  private var stream: UInt64 = 0

  /// Makes a value of a snapshot, with the lists that earlier ones had.
  func decode<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type, from content: GeneratedContent
  ) throws -> Value {
    guard let node = content.node, let task = Self.currentTask else { return try Value(content) }
    if node.stream != stream {
      lists = []
      stream = node.stream
    }
    return try Self.$scope.withValue(Scope(cache: self, stream: stream, task: task)) {
      try Value(content)
    }
  }

  /// The elements of a list; nil where nothing is kept of it: outside of a stream.
  static func elements<Element: ConvertibleFromGeneratedContent>(
    of content: GeneratedContent
  ) throws -> [Element]? {
    guard let scope, let node = content.node, case .array = node.kind, scope.contains(node) else {
      return nil
    }
    let list = scope.cache.list(KeptElements<Element>.self, of: node) { KeptElements() }
    guard node.reaches(list.place) else { return nil }
    try list.update(to: node) { scope.cache.forget(within: $0) }
    return list.elements
  }

  /// The members of an object with any names; nil where nothing is kept of it, or two names are
  /// equal.
  static func members<Value: ConvertibleFromGeneratedContent>(
    of content: GeneratedContent
  ) throws -> [String: Value]? {
    guard let scope, let node = content.node, case .object = node.kind, scope.contains(node) else {
      return nil
    }
    let list = scope.cache.list(KeptMembers<Value>.self, of: node) { KeptMembers() }
    guard node.reaches(list.place) else { return nil }
    try list.update(to: node) { scope.cache.forget(within: $0) }
    return list.hasRepeatedKey ? nil : list.members
  }

  private func list<List: AnyObject>(
    _ type: List.Type, of node: JSONNode, make: () -> List
  ) -> List {
    let start = node.identity
    var index = lists.endIndex
    while index > 0, lists[index - 1].start >= start {
      index -= 1
      if lists[index].start == start, let list = lists[index].list as? List { return list }
    }
    let list = make()
    lists.insert((start, list), at: index)
    return list
  }

  /// Lets go of the lists in a value that is complete and kept as a whole.
  private func forget(within node: JSONNode) {
    let start = node.identity
    while let last = lists.last, last.start >= start { lists.removeLast() }
  }
}

extension SnapshotCache {
  /// What a list can find: only while the iterator makes a snapshot.
  ///
  /// Unchecked, for a task-local value has to be sendable: other tasks may get it, but only the one
  /// that made it, which waits meanwhile for the snapshot, looks into the cache (`contains`).
  private struct Scope: @unchecked Sendable {
    let cache: SnapshotCache
    let stream: UInt64
    let task: UnsafeCurrentTask

    func contains(_ node: JSONNode) -> Bool {
      node.stream == stream && SnapshotCache.currentTask == task
    }
  }

  @TaskLocal private static var scope: Scope?

  private static var currentTask: UnsafeCurrentTask? { withUnsafeCurrentTask { $0 } }
}

/// The elements of a list as they were made for the snapshot before.
private final class KeptElements<Element: ConvertibleFromGeneratedContent> {
  private(set) var elements: [Element] = []
  private(set) var place = JSONNode.Place()
  private var lastIsPartial = false

  func update(to node: JSONNode, forget: (JSONNode) -> Void) throws {
    if lastIsPartial {
      elements.removeLast()
      lastIsPartial = false
    }
    for node in node.elements(from: place) {
      let content = GeneratedContent(node)
      guard try elements.append(valueOf: content) else { return }
      guard content.isComplete else {
        lastIsPartial = true
        return
      }
      place = node.placeAfter
      forget(node)
    }
  }
}

/// The members of an object as they were made for the snapshot before.
private final class KeptMembers<Value: ConvertibleFromGeneratedContent> {
  private(set) var members: [String: Value] = [:]
  private(set) var place = JSONNode.Place()
  /// Whether a name has come again, in another spelling that Swift holds for the same: it is the
  /// whole object then that says what counts.
  private(set) var hasRepeatedKey = false
  private var partialKey: String?

  func update(to node: JSONNode, forget: (JSONNode) -> Void) throws {
    if let key = partialKey {
      members[key] = nil
      partialKey = nil
    }
    for (key, node) in node.members(from: place) where !hasRepeatedKey {
      guard members[key] == nil else {
        hasRepeatedKey = true
        return
      }
      let content = GeneratedContent(node)
      guard try members.set(key, toValueOf: content) else { return }
      guard content.isComplete else {
        partialKey = key
        return
      }
      place = node.placeAfter
      forget(node)
    }
  }
}
