-- name: memory_spaces
-- scatter: doctor
-- Every space that has notes or statistics of them, and which full-text home it says it has.
SELECT spaces.space_id, coalesce(space_stats.home, 0) AS home
FROM (SELECT space_id FROM space_stats UNION SELECT space_id FROM notes) AS spaces
LEFT JOIN space_stats ON space_stats.space_id = spaces.space_id ORDER BY spaces.space_id

-- name: notes_per_account
-- scatter: doctor
-- An account without notes has a row with no status; notes of no account have no handle.
SELECT accounts.handle, notes.status, count(notes.id) AS notes
FROM accounts LEFT JOIN notes ON notes.space_id = accounts.id GROUP BY accounts.handle, notes.status
UNION ALL
SELECT NULL, notes.status, count(*) FROM notes
WHERE attempt_id IS NULL AND NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.id = notes.space_id)
GROUP BY notes.status

-- name: index_of_notes
SELECT * FROM note_index WHERE space_id = :space_id AND note_id IN (:ids...)

-- name: tags_of_rows
SELECT row_no, tag_key, tag FROM note_tags WHERE space_id = :space_id AND row_no IN (:row_nos...)

-- name: symbols_of_rows
SELECT row_no, symbol FROM note_symbols WHERE space_id = :space_id AND row_no IN (:row_nos...)

-- name: links_of_rows
SELECT row_no, target_id FROM note_links WHERE space_id = :space_id AND row_no IN (:row_nos...)

-- name: words_after
-- A stretch of the words of a space, in order.
SELECT word, uses FROM space_words WHERE space_id = :space_id AND word > :after ORDER BY word LIMIT :count

-- name: leftover_rows
-- scatter: doctor
-- How many rows of each table belong to no note: what a deletion should have taken along.
SELECT 'note_index' AS name, count(*) AS leftovers FROM note_index AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.id = rest.note_id)
UNION ALL
SELECT 'note_tags', count(*) FROM note_tags AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.row_no = rest.row_no)
UNION ALL
SELECT 'note_symbols', count(*) FROM note_symbols AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.row_no = rest.row_no)
UNION ALL
SELECT 'note_links', count(*) FROM note_links AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.row_no = rest.row_no)
UNION ALL
SELECT 'note_versions', count(*) FROM note_versions AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.id = rest.note_id)
UNION ALL
SELECT 'idempotency_keys', count(*) FROM idempotency_keys AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.id = rest.note_id)
UNION ALL
SELECT 'note_vectors', count(*) FROM note_vectors AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.id = rest.note_id)
UNION ALL
SELECT 'jobs', count(*) FROM jobs AS rest WHERE NOT EXISTS
  (SELECT 1 FROM notes WHERE notes.space_id = rest.space_id AND notes.id = rest.note_id)

-- name: lost_collections
-- scatter: doctor
-- Notes that are filed in a collection that is not there.
SELECT count(*) AS notes FROM notes WHERE collection_id IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM collections WHERE collections.space_id = notes.space_id AND collections.id = notes.collection_id)

-- name: versions_ahead
-- scatter: doctor
-- Earlier states whose version is not below that of their note.
SELECT count(*) AS versions FROM note_versions AS old JOIN notes
  ON notes.space_id = old.space_id AND notes.id = old.note_id WHERE old.version >= notes.version

-- name: notes_at_odds
-- scatter: doctor
-- Notes whose row is at odds with itself: its number with its time, or its size with its body.
SELECT id FROM notes WHERE (row_no >> :row_bits) <> created_at OR body_bytes <> octet_length(body) LIMIT :count
