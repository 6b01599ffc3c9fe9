// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  import EspalierCore

  // The tables:
  //
  //     conversation   a row for each conversation
  //     entry          a row for each entry: its JSON, and the text that is searched
  //     entryText      the words of `entry.text` (FTS5), kept by triggers

  extension DatabaseFormat {
    /// Conversations. The number is "Espl".
    static let conversations = DatabaseFormat(
      applicationID: 0x4573_706C,
      migrations: [
        """
        CREATE TABLE conversation (
          number INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          title TEXT NOT NULL,
          created REAL NOT NULL,
          changed REAL NOT NULL);
        CREATE INDEX conversationByChange ON conversation (changed, number);
        CREATE TABLE entry (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          conversation INTEGER NOT NULL REFERENCES conversation (number),
          json TEXT NOT NULL,
          text TEXT NOT NULL);
        CREATE INDEX entryByConversation ON entry (conversation, number);
        CREATE VIRTUAL TABLE entryText USING fts5 (
          text, content = 'entry', content_rowid = 'number', tokenize = 'unicode61');
        CREATE TRIGGER entryAdded AFTER INSERT ON entry BEGIN
          INSERT INTO entryText (rowid, text) VALUES (new.number, new.text);
        END;
        CREATE TRIGGER entryRemoved AFTER DELETE ON entry BEGIN
          INSERT INTO entryText (entryText, rowid, text) VALUES ('delete', old.number, old.text);
        END;
        """
      ],
      makeError: { fault, place, problem, suggestion in
        let kind: ConversationStoreError.Kind =
          switch fault {
          case .damaged: .damaged
          case .newerVersion: .newerVersion
          case .cannotWrite: .cannotWrite
          case .cannotRead: .cannotRead
          }
        return ConversationStoreError(
          kind, place: place, problem: problem, suggestion: suggestion)
      })
  }
#endif
