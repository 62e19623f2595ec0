-- name: insert_note_index
INSERT INTO note_index (space_id, note_id, row_no, tokens, analyzer_version, attempt_id, revision, account_id, note_kind,
  title, kind, model, model_key, tags, builds_on, header_version)
VALUES (:space_id, :note_id, :row_no, :tokens, :analyzer_version, :attempt_id, :revision, :account_id, :note_kind,
  :title, :kind, :model, :model_key, :tags, :builds_on, :header_version)

-- name: indexed_tokens
-- What the statistics count of a note; none where the index does not hold it.
SELECT tokens FROM note_index WHERE space_id = :space_id AND note_id = :note_id

-- name: mark_uncleaned
INSERT INTO uncleaned_homes (home) VALUES (:home) ON CONFLICT (home) DO NOTHING

-- name: delete_note_index
DELETE FROM note_index WHERE space_id = :space_id AND note_id = :note_id

-- name: note_index_rows
SELECT * FROM note_index WHERE space_id = :space_id ORDER BY row_no

-- name: insert_note_tag
INSERT INTO note_tags (space_id, tag_key, row_no, tag) VALUES (:space_id, :tag_key, :row_no, :tag)

-- name: delete_note_tags
DELETE FROM note_tags WHERE space_id = :space_id AND row_no = :row_no

-- name: note_tag_rows
SELECT tag_key, row_no, tag FROM note_tags WHERE space_id = :space_id ORDER BY tag_key, row_no

-- name: insert_note_symbol
INSERT INTO note_symbols (space_id, symbol, row_no) VALUES (:space_id, :symbol, :row_no)

-- name: delete_note_symbols
DELETE FROM note_symbols WHERE space_id = :space_id AND row_no = :row_no

-- name: note_symbol_rows
SELECT symbol, row_no FROM note_symbols WHERE space_id = :space_id ORDER BY symbol, row_no

-- name: insert_note_link
INSERT INTO note_links (space_id, row_no, target_id) VALUES (:space_id, :row_no, :target_id)

-- name: delete_note_links
DELETE FROM note_links WHERE space_id = :space_id AND row_no = :row_no

-- name: note_link_rows
SELECT row_no, target_id FROM note_links WHERE space_id = :space_id ORDER BY row_no, target_id

-- name: clear_note_links
DELETE FROM note_links WHERE space_id = :space_id

-- name: add_word
INSERT INTO space_words (space_id, word, uses) VALUES (:space_id, :word, :uses)
ON CONFLICT (space_id, word) DO UPDATE SET uses = space_words.uses + :uses

-- name: remove_word
UPDATE space_words SET uses = uses - 1 WHERE space_id = :space_id AND word = :word

-- name: drop_unused_words
DELETE FROM space_words WHERE space_id = :space_id AND uses <= 0 AND word IN (:words...)

-- name: space_word_rows
SELECT word, uses FROM space_words WHERE space_id = :space_id ORDER BY word

-- name: space_stats
SELECT notes, tokens, home FROM space_stats WHERE space_id = :space_id

-- name: add_space_stats
INSERT INTO space_stats (space_id, notes, tokens, home) VALUES (:space_id, :notes, :tokens, 0)
ON CONFLICT (space_id) DO UPDATE SET notes = space_stats.notes + :notes, tokens = space_stats.tokens + :tokens

-- name: set_space_home
INSERT INTO space_stats (space_id, notes, tokens, home) VALUES (:space_id, 0, 0, :home)
ON CONFLICT (space_id) DO UPDATE SET home = :home

-- name: last_home
-- scatter: SQLite alone gives homes of their own
SELECT max(home) AS home FROM space_stats

-- name: home_stats
-- scatter: the public record
SELECT coalesce(sum(notes), 0) AS notes, coalesce(sum(tokens), 0) AS tokens FROM space_stats WHERE home = :home

-- name: clear_note_index
DELETE FROM note_index WHERE space_id = :space_id

-- name: clear_note_tags
DELETE FROM note_tags WHERE space_id = :space_id

-- name: clear_note_symbols
DELETE FROM note_symbols WHERE space_id = :space_id

-- name: clear_space_words
DELETE FROM space_words WHERE space_id = :space_id

-- name: clear_space_stats
UPDATE space_stats SET notes = 0, tokens = 0 WHERE space_id = :space_id

-- name: public_notes
-- scatter: the public record
-- How many notes the public record has up to one of them: the kept counts, less the few that came after.
SELECT (SELECT coalesce(sum(space_stats.notes), 0) FROM space_stats
    WHERE space_stats.space_id IN (SELECT id FROM problems WHERE is_public = 1))
  - (SELECT count(*) FROM note_index AS i
    WHERE i.row_no > :newest_row AND {unindexed:i.space_id} IN (SELECT id FROM problems WHERE is_public = 1)) AS notes
