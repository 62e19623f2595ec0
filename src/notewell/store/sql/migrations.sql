-- name: create_migrations
CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)

-- name: has_migrations
SELECT {has_migrations} AS found

-- name: last_migration
SELECT max(number) AS number FROM migrations

-- name: record_migration
INSERT INTO migrations (number, name, applied_at) VALUES (:number, :name, :now)

-- name: lock_space
-- The row that every writer of a space changes in the end.
SELECT 1 AS locked FROM space_stats WHERE space_id = :space_id {for_update}

-- name: make_space
INSERT INTO space_stats (space_id, notes, tokens, home) VALUES (:space_id, 0, 0, 0) ON CONFLICT (space_id) DO NOTHING
