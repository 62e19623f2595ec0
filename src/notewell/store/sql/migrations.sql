-- name: create_migrations
CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)

-- name: last_migration
SELECT max(number) AS number FROM migrations

-- name: record_migration
INSERT INTO migrations (number, name, applied_at) VALUES (:number, :name, :now)
