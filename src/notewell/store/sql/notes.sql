-- name: next_row_no
-- scatter: on SQLite, row numbers are unique in the whole file
-- A row number of one millisecond that no note has.
SELECT {next_row_no} AS row_no

-- name: insert_note
INSERT INTO notes (space_id, id, row_no, version, status, collection_id, account_id, agent, source, created_at,
  updated_at, title, title_key, summary, tags, symbols, body_bytes, body)
VALUES (:space_id, :id, :row_no, :version, :status, :collection_id, :account_id, :agent, :source, :created_at,
  :updated_at, :title, :title_key, :summary, :tags, :symbols, :body_bytes, :body)

-- name: update_note
-- The version is checked inside the statement: of two edits of one version, one changes no row.
UPDATE notes SET version = version + 1, status = :status, collection_id = :collection_id, account_id = :account_id,
  agent = :agent, updated_at = :updated_at, title = :title, title_key = :title_key, summary = :summary, tags = :tags, symbols = :symbols,
  body_bytes = :body_bytes, body = :body
WHERE space_id = :space_id AND id = :id AND version = :version

-- name: notes_by_id
SELECT * FROM notes WHERE space_id = :space_id AND id IN (:ids...)

-- name: note_exists_elsewhere
-- scatter: an import asks whether an id is taken
SELECT space_id FROM notes WHERE id = :id AND space_id <> :space_id LIMIT 1

-- name: notes_by_row
SELECT * FROM notes WHERE space_id = :space_id AND row_no IN (:row_nos...)

-- name: notes_of_space
-- A stretch of a space in the order of creation, for whole walks (export, doctor, reindex).
SELECT * FROM notes WHERE space_id = :space_id AND row_no > :after ORDER BY row_no LIMIT :count

-- name: note_spaces
-- scatter: a walk over everything
SELECT DISTINCT space_id FROM notes ORDER BY space_id

-- name: delete_note
DELETE FROM notes WHERE space_id = :space_id AND id = :id

-- name: insert_version
INSERT INTO note_versions (space_id, note_id, version, status, collection_id, account_id, agent, updated_at, title,
  summary, tags, symbols, body)
VALUES (:space_id, :note_id, :version, :status, :collection_id, :account_id, :agent, :updated_at, :title, :summary,
  :tags, :symbols, :body)

-- name: versions_of_note
SELECT * FROM note_versions WHERE space_id = :space_id AND note_id = :note_id ORDER BY version

-- name: delete_versions
DELETE FROM note_versions WHERE space_id = :space_id AND note_id = :note_id

-- name: idempotency_key
SELECT note_id, request_hash FROM idempotency_keys WHERE space_id = :space_id AND idempotency_key = :key

-- name: insert_idempotency_key
INSERT INTO idempotency_keys (space_id, idempotency_key, request_hash, note_id, created_at)
VALUES (:space_id, :key, :request_hash, :note_id, :now)

-- name: delete_idempotency_keys
-- With its note: the same request may be made again afterwards.
DELETE FROM idempotency_keys WHERE space_id = :space_id AND note_id = :note_id

-- name: space_counts
SELECT status, count(*) AS notes FROM notes WHERE space_id = :space_id GROUP BY status

-- name: newest_row
SELECT max(row_no) AS row_no FROM notes WHERE space_id = :space_id

-- name: newest_row_anywhere
-- scatter: the public record
SELECT max(row_no) AS row_no FROM notes
