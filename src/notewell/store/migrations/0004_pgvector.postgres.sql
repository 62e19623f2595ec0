-- The vectors once more, as the extension pgvector reads them. Where the extension cannot be had, or is older than 0.8
-- (whose index loses what a filter leaves out), nothing is made, and each process searches vectors that it keeps in
-- memory. The sweep runs this file again for an extension that came later (store/pgvector.py).
-- The locks keep vectors and the flags of problems as they are until the copies of them are there for all to see.
DO $pgvector$ BEGIN
  CREATE EXTENSION IF NOT EXISTS vector
  ; IF (SELECT CAST(string_to_array(substring(extversion FROM '^[0-9]+[.][0-9]+'), '.') AS INTEGER[]) < ARRAY[0, 8]
    FROM pg_extension WHERE extname = 'vector') THEN RAISE feature_not_supported
  ; END IF
  ; LOCK TABLE problems, note_vectors IN SHARE MODE
  ; CREATE TABLE note_embeddings (
  space_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  row_no BIGINT NOT NULL,
  is_public INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  embedding VECTOR NOT NULL,
  PRIMARY KEY (space_id, note_id, model_id, chunk)
) WITH (toast_tuple_target = 8160)
  ; EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN NULL
  ; END $pgvector$;
-- place: note_embeddings by space
-- A vector that goes takes its copy along, whichever statement removes it. The index by notes' ids from their end, where
-- they are random, draws a sample of the public vectors, and counts them without reading a vector.
DO $pgvector$ BEGIN
  IF to_regclass('note_embeddings') IS NULL THEN RETURN
  ; END IF
  ; CREATE OR REPLACE FUNCTION dequantized(scale DOUBLE PRECISION, numbers BYTEA) RETURNS vector LANGUAGE sql IMMUTABLE AS $sql$
    SELECT CAST(array_agg(scale * CASE WHEN byte > 127 THEN byte - 256 ELSE byte END ORDER BY place) AS vector)
    FROM (SELECT place, get_byte(numbers, place) AS byte FROM generate_series(0, length(numbers) - 1) AS place) AS bytes
    $sql$
  ; ALTER TABLE note_embeddings ADD FOREIGN KEY (space_id, note_id, model_id, chunk) REFERENCES note_vectors
    ON DELETE CASCADE
  ; INSERT INTO note_embeddings (space_id, note_id, model_id, chunk, row_no, is_public, dimensions, embedding)
    SELECT v.space_id, v.note_id, v.model_id, v.chunk, v.row_no, CASE WHEN s.home = 1 THEN 1 ELSE 0 END,
      length(v.numbers), dequantized(v.scale, v.numbers)
    FROM note_vectors AS v LEFT JOIN space_stats AS s ON s.space_id = v.space_id
  ; CREATE INDEX note_embeddings_public ON note_embeddings (model_id, dimensions, chunk, reverse(note_id))
    WHERE is_public = 1
  ; END $pgvector$;
