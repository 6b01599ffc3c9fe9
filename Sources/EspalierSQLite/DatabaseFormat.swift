// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  import EspalierCore
  import Foundation
  import GRDB

  // A file says by its `application_id` that it is ours and what it holds, and by its `user_version` which
  // tables it has. Both numbers are looked at before anything is written, so that the file of another
  // app, or of a newer version of the package, stays as it is.

  extension String {
    /// The text with U+FFFD for U+0000, at which a text of SQLite ends.
    var withoutZeros: String {
      utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self
    }
  }

  /// What a kind of database holds, and how it is opened.
  struct DatabaseFormat: Sendable {
    /// What is wrong with a file, in the words of every kind's error.
    enum Fault: Sendable { case damaged, newerVersion, cannotWrite, cannotRead }

    let applicationID: Int32
    /// What brings a file from each version to the next one.
    let migrations: [String]
    /// What a connection needs before it reads or writes.
    var prepare: @Sendable (Database) throws -> Void = { _ in }
    /// Makes an error of the kind: the fault, the place, the problem, what to do.
    let makeError: @Sendable (Fault, String, String, String) -> any Error

    func open(_ file: URL, isReadOnly: Bool) throws -> DatabasePool {
      do {
        let version = try checkedVersion(file, isReadOnly: isReadOnly)
        let pool = try DatabasePool(path: file.path, configuration: configuration(isReadOnly))
        if !isReadOnly {
          try pool.writeWithoutTransaction { database in
            // GRDB sets NORMAL on its writer when it opens a pool: a commit could be lost with the
            // machine's power.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1")
          }
        }
        if version < migrations.count { try pool.write { try migrate($0) } }
        return pool
      } catch {
        throw storeError(error, file)
      }
    }

    private func configuration(_ isReadOnly: Bool) -> Configuration {
      var configuration = Configuration()
      configuration.readonly = isReadOnly
      // Other processes write too.
      configuration.busyMode = .timeout(10)
      configuration.prepareDatabase(prepare)
      return configuration
    }

    /// The version of a file; 0 where it is empty or not there.
    ///
    /// - Throws: The kind's error where this package must not write it.
    private func checkedVersion(_ file: URL, isReadOnly: Bool) throws -> Int {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) else {
        let folder = file.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
          throw makeError(
            isReadOnly ? .cannotRead : .cannotWrite, file.path, "There is no folder '\(folder)'.",
            "Make the folder, or check the path.")
        }
        guard isReadOnly else { return 0 }
        throw makeError(
          .cannotRead, file.path, "There is no such file.",
          "Check the path.")
      }
      guard !isFolder.boolValue else {
        throw makeError(
          isReadOnly ? .cannotRead : .cannotWrite, file.path, "This is a folder.",
          "Name a file in it.")
      }
      let queue = try DatabaseQueue(path: file.path, configuration: configuration(true))
      defer { try? queue.close() }
      let (application, version, tables) = try queue.read { database in
        (
          try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
          try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
          try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        )
      }
      if version == 0, tables == 0, application == 0 {
        guard isReadOnly else { return 0 }
        throw makeError(
          .cannotRead, file.path, "There is nothing in the file.",
          "Open it for writing once, or check the path.")
      }
      guard application == applicationID else {
        throw makeError(
          .damaged, file.path,
          "This is a database of something else: its application_id is \(application).",
          "Choose a file that belongs to the store alone.")
      }
      guard version >= 0 else {
        throw makeError(
          .damaged, file.path, "Its version (user_version) is \(version).",
          "Put a copy in its place that was saved whole, or move it away.")
      }
      guard version <= migrations.count else {
        throw makeError(
          .newerVersion, file.path,
          "It has version \(version), and this package reads \(migrations.count).",
          "Update the app.")
      }
      guard version == migrations.count || !isReadOnly else {
        throw makeError(
          .cannotRead, file.path,
          "It has version \(version), and this package reads \(migrations.count).",
          "Open it for writing once, which brings it to this version.")
      }
      return version
    }

    /// Brings a file to this version, in the transaction that it runs in.
    private func migrate(_ database: Database) throws {
      // Another process may have done so meanwhile.
      let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      for migration in migrations.dropFirst(max(0, version)) {
        try database.execute(sql: migration)
      }
      try database.execute(
        sql: """
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(max(version, migrations.count))
          """)
    }

    /// What an error of the database means for who uses it.
    func storeError(_ error: any Error, _ file: URL) -> any Error {
      guard let error = error as? DatabaseError else { return error }
      let words = error.message.map { "\($0)." } ?? "SQLite's error \(error.resultCode.rawValue)."
      func made(_ fault: Fault, _ problem: String, _ suggestion: String) -> any Error {
        makeError(fault, file.path, problem, suggestion)
      }
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        return made(
          .damaged, "The database is damaged: \(words)",
          "Put a copy in its place that was saved whole, or move it away.")
      case .SQLITE_FULL: return made(.cannotWrite, "The disk is full.", "Make room, and try again.")
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        return made(.cannotWrite, "Another process writes for too long.", "Try again.")
      case .SQLITE_READONLY:
        return made(.cannotWrite, "The file may only be read.", "Check its rights.")
      case .SQLITE_IOERR: return made(.cannotWrite, words, "Check the disk.")
      case .SQLITE_INTERRUPT, .SQLITE_ABORT: return CancellationError()
      default: return made(.cannotRead, words, "Check the path and its rights.")
      }
    }
  }
#endif
