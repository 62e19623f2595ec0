-- Copies of whole stores: which store this is, whose copy it is, and how far that has come.

-- One row: a random name that tells stores apart, whatever address leads to them.
CREATE TABLE store_identity (id INTEGER PRIMARY KEY, store_id TEXT NOT NULL);
INSERT INTO store_identity (id, store_id) VALUES (1, {new_store_id});

-- One row where this store is a copy; finished_at is null until all is here. Only the run that it names may write.
CREATE TABLE copies (
  id INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  finished_at BIGINT,
  digest TEXT NOT NULL
);

-- While a copy is made, how far each space of it is: up to which key of which table, and the sum of what came so far.
CREATE TABLE copied_spaces (
  space_id TEXT PRIMARY KEY,
  is_complete INTEGER NOT NULL,
  at_table TEXT NOT NULL,
  at_key TEXT NOT NULL,
  digest TEXT NOT NULL
);
-- place: copied_spaces by space
