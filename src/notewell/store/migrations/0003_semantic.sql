-- Search by meaning: the queue of notes to embed, and their vectors. A job is made in its note's own transaction.

-- One job a note at most: a further edit takes its place and its lease away, so edits coalesce and no old text is kept.
-- A job that failed for good has no due_at and says why.
CREATE TABLE jobs (
  space_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  due_at BIGINT,
  lease TEXT,
  attempts INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (space_id, note_id)
) {without_rowid};
-- place: jobs by space
CREATE INDEX jobs_by_due ON jobs (due_at, space_id);
CREATE INDEX jobs_of_space_by_due ON jobs (space_id, due_at);
CREATE INDEX jobs_by_lease ON jobs (lease);

-- One row for each chunk of a note and model; seq grows with each change, so that caches can follow.
CREATE TABLE note_vectors (
  space_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  row_no BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  content_hash TEXT NOT NULL,
  scale {double} NOT NULL,
  numbers {blob} NOT NULL,
  PRIMARY KEY (space_id, note_id, model_id, chunk)
);
-- place: note_vectors by space
CREATE INDEX note_vectors_by_seq ON note_vectors (model_id, seq);
CREATE INDEX note_vectors_by_model ON note_vectors (model_id, space_id, note_id);

-- Vectors that are gone, for caches that still hold them; the sweep forgets old ones.
CREATE TABLE vector_tombstones (
  space_id TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  gone_at BIGINT NOT NULL,
  PRIMARY KEY (space_id, row_no)
) {without_rowid};
-- place: vector_tombstones by space
CREATE INDEX vector_tombstones_by_seq ON vector_tombstones (seq);

CREATE TABLE sweeps (id INTEGER PRIMARY KEY, last_at BIGINT NOT NULL);
INSERT INTO sweeps (id, last_at) VALUES (1, 0);

CREATE TABLE vector_clock (id INTEGER PRIMARY KEY, seq BIGINT NOT NULL, forgotten_seq BIGINT NOT NULL);
INSERT INTO vector_clock (id, seq, forgotten_seq) VALUES (1, 0, 0);
