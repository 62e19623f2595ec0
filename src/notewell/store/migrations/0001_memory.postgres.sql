-- Full text: terms with positions and column labels, and unstemmed words, one row for nearly every note.
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE SEQUENCE row_numbers MINVALUE 0 MAXVALUE 2097151 START 0 CYCLE;
CREATE TABLE note_search (
  space_id TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  part INTEGER NOT NULL,
  parts INTEGER NOT NULL,
  sign INTEGER NOT NULL,
  start BIGINT NOT NULL,
  is_public INTEGER NOT NULL,
  tokens BIGINT NOT NULL,
  terms TSVECTOR NOT NULL,
  words TSVECTOR NOT NULL,
  PRIMARY KEY (space_id, row_no, part)
) WITH (toast_tuple_target = 128);
-- place: note_search by space
-- Out of line, so that counting and choosing candidates read narrow rows.
ALTER TABLE note_search ALTER terms SET STORAGE EXTERNAL, ALTER words SET STORAGE EXTERNAL;
CREATE INDEX note_search_by_space ON note_search USING gin (space_id, terms, words) WITH (gin_pending_list_limit = 512);
CREATE INDEX note_search_public ON note_search USING gin (terms, words) WITH (gin_pending_list_limit = 512)
  WHERE is_public = 1;
CREATE INDEX note_search_long ON note_search (space_id, row_no) WHERE parts > 1;
-- Without it each leaf of a query would be looked for by reading all vectors of the long notes of a space.
CREATE INDEX note_search_long_by_term ON note_search USING gin (space_id, terms, words) WHERE parts > 1;
CREATE INDEX note_search_by_row ON note_search (row_no);
-- Parts of words are found by their trigrams where the extension may be had, else by reading a memory's words.
DO $trigrams$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE INDEX space_words_by_part ON space_words USING gin (space_id, word gin_trgm_ops)
  ; EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN NULL
  ; END $trigrams$;
