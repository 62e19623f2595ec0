-- name: table_names
-- Every table that is there, whoever made it.
{table_names}

-- name: store_id
SELECT store_id FROM store_identity WHERE id = 1

-- name: copy_state
SELECT source_id, run_id, started_at, finished_at, digest FROM copies WHERE id = 1

-- name: begin_copy
-- Of two that begin at once, one changes no row.
INSERT INTO copies (id, source_id, run_id, started_at, finished_at, digest)
VALUES (1, :source_id, :run_id, :now, NULL, '') ON CONFLICT (id) DO NOTHING

-- name: take_copy
-- A later run takes an unfinished copy over: the earlier one, should it still live, then writes no more.
UPDATE copies SET run_id = :run_id WHERE id = 1 AND source_id = :source_id AND finished_at IS NULL

-- name: hold_copy
-- No row where another run has taken over; else nobody can until the transaction ends.
UPDATE copies SET run_id = :run_id WHERE id = 1 AND run_id = :run_id AND finished_at IS NULL

-- name: finish_copy
UPDATE copies SET finished_at = :now, digest = :digest WHERE id = 1

-- name: copied_spaces
-- scatter: copy
SELECT space_id, is_complete, at_table, at_key, digest FROM copied_spaces ORDER BY space_id

-- name: put_copied_space
INSERT INTO copied_spaces (space_id, is_complete, at_table, at_key, digest)
VALUES (:space_id, :is_complete, :at_table, :at_key, :digest)
ON CONFLICT (space_id) DO UPDATE SET is_complete = :is_complete, at_table = :at_table, at_key = :at_key,
  digest = :digest

-- name: forget_copied_space
DELETE FROM copied_spaces WHERE space_id = :space_id

-- name: forget_copied_spaces
-- scatter: copy
DELETE FROM copied_spaces

-- name: space_homes
-- scatter: copy
SELECT space_id, home FROM space_stats
