// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

#if SQLite
  import EspalierCore
  import GRDB

  // The tables:
  //
  //     model       one row: whose vectors these are
  //     document    a row for each document
  //     tag         a row for each name and value of a document's metadata
  //     chunk       a row for each passage, with its vector as `VectorTable` stores it
  //     chunkText   the words of titles and passages (FTS5), kept by triggers
  //     removal     the numbers of passages that are gone, for those who hold the vectors in memory

  extension DatabaseFormat {
    /// Documents and their passages. The number is "Espk".
    static let knowledge = DatabaseFormat(
      applicationID: 0x4573_706B,
      migrations: [
        """
        CREATE TABLE model (
          identifier TEXT NOT NULL,
          dimensions INTEGER NOT NULL);
        CREATE TABLE document (
          number INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          title TEXT NOT NULL,
          text TEXT NOT NULL);
        CREATE TABLE tag (
          document INTEGER NOT NULL REFERENCES document (number),
          name TEXT NOT NULL,
          value TEXT NOT NULL,
          PRIMARY KEY (document, name)) WITHOUT ROWID;
        CREATE INDEX tagByValue ON tag (name, value, document);
        CREATE TABLE chunk (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          document INTEGER NOT NULL REFERENCES document (number),
          position INTEGER NOT NULL,
          title TEXT NOT NULL,
          text TEXT NOT NULL,
          vector BLOB NOT NULL);
        CREATE INDEX chunkByDocument ON chunk (document, position);
        CREATE TABLE removal (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          chunk INTEGER NOT NULL);
        CREATE VIRTUAL TABLE chunkText USING fts5 (
          title, text, content = 'chunk', content_rowid = 'number',
          tokenize = 'porter unicode61 remove_diacritics 2');
        CREATE TRIGGER chunkAdded AFTER INSERT ON chunk BEGIN
          INSERT INTO chunkText (rowid, title, text) VALUES (new.number, new.title, new.text);
        END;
        CREATE TRIGGER chunkRemoved AFTER DELETE ON chunk BEGIN
          INSERT INTO chunkText (chunkText, rowid, title, text)
            VALUES ('delete', old.number, old.title, old.text);
          INSERT INTO removal (chunk) VALUES (old.number);
        END;
        """,
        // Languages without spaces are found by words, too.
        """
        DROP TABLE chunkText;
        CREATE VIRTUAL TABLE chunkText USING fts5 (
          title, text, content = 'chunk', content_rowid = 'number',
          tokenize = '\(WordPieceTokenizer.name)');
        INSERT INTO chunkText (chunkText) VALUES ('rebuild');
        """,
      ],
      prepare: { $0.add(tokenizer: WordPieceTokenizer.self) },
      makeError: { fault, place, problem, suggestion in
        let kind: KnowledgeError.Kind =
          switch fault {
          case .damaged: .damaged
          case .newerVersion: .newerVersion
          case .cannotWrite: .cannotWrite
          case .cannotRead: .cannotRead
          }
        return KnowledgeError(kind, place: place, problem: problem, suggestion: suggestion)
      })
  }
#endif
