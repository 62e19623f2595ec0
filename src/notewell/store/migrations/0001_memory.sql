-- Accounts, tokens, and the memory half of the store. Every table of notes has space_id first in each of its keys, so
-- that the same schema can be spread over machines; "place" lines say how (see store/migrate.py).

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  handle TEXT NOT NULL,
  handle_key TEXT NOT NULL UNIQUE,
  is_admin INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
-- place: accounts everywhere

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts,
  secret_hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  agent TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  revoked_at BIGINT
);
-- place: tokens everywhere

-- What ranking needs to know of a space: how many notes and index terms it has, and which full-text table holds them.
CREATE TABLE space_stats (
  space_id TEXT PRIMARY KEY,
  notes BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  home INTEGER NOT NULL
);
-- place: space_stats by space

-- Full-text tables that something was taken out of since the last sweep cleaned the file.
CREATE TABLE uncleaned_homes (home INTEGER PRIMARY KEY);
-- place: uncleaned_homes everywhere

CREATE TABLE collections (
  space_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (space_id, id),
  UNIQUE (space_id, name_key)
);
-- place: collections by space

-- Memory notes, and research notes (which have an attempt, and their title in the header of their body).
-- row_no carries the creation time (domain/ids.py), so "newest" means one thing everywhere. The body stands last:
-- listings then never read a long body's pages.
CREATE TABLE notes (
  space_id TEXT NOT NULL,
  id TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  collection_id TEXT,
  attempt_id TEXT,
  note_kind TEXT,
  account_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  source TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  summary TEXT NOT NULL,
  tags TEXT NOT NULL,
  symbols TEXT NOT NULL,
  body_bytes BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (space_id, id)
);
-- place: notes by space
CREATE UNIQUE INDEX notes_by_row ON notes (space_id, row_no);
CREATE INDEX notes_by_row_anywhere ON notes (row_no);
CREATE INDEX notes_by_id_anywhere ON notes (id);
CREATE INDEX notes_by_change ON notes (space_id, status, updated_at, row_no);
CREATE INDEX notes_by_collection ON notes (space_id, collection_id, status, updated_at, row_no);

-- Each earlier state of a note.
CREATE TABLE note_versions (
  space_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  collection_id TEXT,
  account_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  tags TEXT NOT NULL,
  symbols TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (space_id, note_id, version)
);
-- place: note_versions by space

CREATE TABLE idempotency_keys (
  space_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  note_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (space_id, idempotency_key)
) {without_rowid};
-- place: idempotency_keys by space
CREATE INDEX idempotency_keys_by_note ON idempotency_keys (space_id, note_id);

-- Derived rows: from here on everything can be made again from the notes.
-- From attempt_id on the columns are those of research notes: where the note stands, and its parsed header.
CREATE TABLE note_index (
  space_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  analyzer_version INTEGER NOT NULL,
  attempt_id TEXT,
  revision INTEGER,
  account_id TEXT,
  note_kind TEXT,
  title TEXT,
  kind TEXT,
  model TEXT,
  model_key TEXT,
  tags TEXT,
  builds_on TEXT,
  header_version INTEGER,
  PRIMARY KEY (space_id, note_id)
) {without_rowid};
-- place: note_index by space

CREATE TABLE note_tags (
  space_id TEXT NOT NULL,
  tag_key TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (space_id, tag_key, row_no)
) {without_rowid};
-- place: note_tags by space
CREATE INDEX note_tags_by_note ON note_tags (space_id, row_no);

CREATE TABLE note_symbols (
  space_id TEXT NOT NULL,
  symbol TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  PRIMARY KEY (space_id, symbol, row_no)
) {without_rowid};
-- place: note_symbols by space
CREATE INDEX note_symbols_by_note ON note_symbols (space_id, row_no);

-- How many notes of a memory hold each unstemmed word: what fragments are looked up in.
CREATE TABLE space_words (
  space_id TEXT NOT NULL,
  word TEXT NOT NULL,
  uses BIGINT NOT NULL,
  PRIMARY KEY (space_id, word)
);
-- place: space_words by space
