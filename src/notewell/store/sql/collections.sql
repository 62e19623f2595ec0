-- name: collections_of_space
SELECT id, name, name_key, created_at FROM collections WHERE space_id = :space_id ORDER BY name_key

-- name: insert_collection
INSERT INTO collections (space_id, id, name, name_key, created_at)
VALUES (:space_id, :id, :name, :name_key, :now) ON CONFLICT (space_id, name_key) DO NOTHING

-- name: rename_collection
UPDATE collections SET name = :name, name_key = :name_key WHERE space_id = :space_id AND id = :id

-- name: delete_collection
DELETE FROM collections WHERE space_id = :space_id AND id = :id

-- name: unfile_notes
UPDATE notes SET collection_id = NULL, version = version + 1, updated_at = :now
WHERE space_id = :space_id AND collection_id = :id

-- name: collection_counts
-- Notes and last change by collection (null: unfiled) and status.
SELECT collection_id, status, count(*) AS notes, max(updated_at) AS changed_at
FROM notes WHERE space_id = :space_id GROUP BY collection_id, status

-- name: tag_counts
-- The vocabulary, most used first, each tag as the oldest note that carries it spells it.
SELECT counted.tag_key, oldest.tag, counted.notes
FROM (SELECT tag_key, count(*) AS notes, min(row_no) AS first_row FROM note_tags
  WHERE space_id = :space_id AND tag_key >= :starts_with AND tag_key < :ends_before
  GROUP BY tag_key ORDER BY count(*) DESC, tag_key LIMIT :count) AS counted
JOIN note_tags AS oldest
  ON oldest.space_id = :space_id AND oldest.tag_key = counted.tag_key AND oldest.row_no = counted.first_row
ORDER BY counted.notes DESC, counted.tag_key

-- name: tag_total
SELECT count(DISTINCT tag_key) AS total FROM note_tags
WHERE space_id = :space_id AND tag_key >= :starts_with AND tag_key < :ends_before

-- name: symbol_counts
SELECT symbol, count(*) AS notes FROM note_symbols
WHERE space_id = :space_id AND symbol >= :starts_with AND symbol < :ends_before
GROUP BY symbol ORDER BY count(*) DESC, symbol LIMIT :count

-- name: symbol_total
SELECT count(DISTINCT symbol) AS total FROM note_symbols
WHERE space_id = :space_id AND symbol >= :starts_with AND symbol < :ends_before
