-- name: insert_campaign
INSERT INTO campaigns (id, slug, title, description, owner_id, is_published, created_at)
VALUES (:id, :slug, :title, :description, :owner_id, :is_published, :now) ON CONFLICT (slug) DO NOTHING

-- name: campaign
SELECT * FROM campaigns WHERE id = :reference OR slug = :reference

-- name: campaigns
SELECT * FROM campaigns ORDER BY created_at DESC, id DESC

-- name: publish_campaign
UPDATE campaigns SET is_published = :is_published WHERE id = :id

-- name: hold_campaign
UPDATE campaigns SET is_published = is_published WHERE id = :id

-- name: insert_problem
INSERT INTO problems (id, slug, title, owner_id, campaign_id, is_published, is_validation_copy, is_public, revision,
  created_at)
VALUES (:id, :slug, :title, :owner_id, :campaign_id, :is_published, :is_validation_copy, :is_public, 1, :now)
ON CONFLICT (slug) DO NOTHING

-- name: problem
SELECT * FROM problems WHERE id = :reference OR slug = :reference

-- name: problems_by_id
SELECT * FROM problems WHERE id IN (:ids...)

-- name: problems_of_campaign
SELECT * FROM problems WHERE campaign_id = :campaign_id ORDER BY created_at, id

-- name: publish_problem
UPDATE problems SET is_published = :is_published, is_public = :is_public WHERE id = :id

-- name: set_problem_public
UPDATE problems SET is_public = :is_public WHERE id = :id

-- name: insert_revision
INSERT INTO problem_revisions (problem_id, number, created_at, statement_md)
VALUES (:problem_id, :number, :now, :statement_md)

-- name: advance_revision
-- The number is checked inside the statement: of two revisions at once, one waits and then counts on.
UPDATE problems SET revision = :number, title = :title WHERE id = :id AND revision = :number - 1

-- name: revision
SELECT * FROM problem_revisions WHERE problem_id = :problem_id AND number = :number

-- name: revisions
SELECT problem_id, number, created_at, '' AS statement_md FROM problem_revisions
WHERE problem_id = :problem_id ORDER BY number DESC

-- name: insert_attempt
INSERT INTO attempts (space_id, id, revision, account_id, agent, model, started_at, ended_at, outcome)
VALUES (:space_id, :id, :revision, :account_id, :agent, :model, :now, NULL, NULL)

-- name: attempt
-- scatter: an attempt by its id alone
SELECT * FROM attempts WHERE id = :id

-- name: attempts_by_id
SELECT * FROM attempts WHERE space_id = :space_id AND id IN (:ids...)

-- name: attempts_of_space
SELECT * FROM attempts WHERE space_id = :space_id ORDER BY started_at DESC, id DESC

-- name: attempt_counts
SELECT count(*) AS attempts, count(*) - count(ended_at) AS running FROM attempts WHERE space_id = :space_id

-- name: end_attempt
-- Of two endings of one attempt, one changes no row.
UPDATE attempts SET ended_at = :now, outcome = :outcome
WHERE space_id = :space_id AND id = :id AND account_id = :account_id AND ended_at IS NULL

-- name: insert_research_note
-- Only while the attempt runs, and only by its author: the check stands inside the statement, so a note that is added
-- while somebody ends the attempt loses.
INSERT INTO notes (space_id, id, row_no, version, status, attempt_id, note_kind, account_id, agent, source, created_at,
  updated_at, title, title_key, summary, tags, symbols, body_bytes, body)
SELECT :space_id, :id, :row_no, 1, 'active', :attempt_id, :note_kind, :account_id, :agent, '', :now, :now, '', '', '',
  '[]', '[]', :body_bytes, :body
WHERE EXISTS (SELECT 1 FROM attempts WHERE space_id = :space_id AND id = :attempt_id AND account_id = :account_id
  AND ended_at IS NULL)

-- name: update_research_note
-- Only the current version, only while the attempt runs, only by its author.
UPDATE notes SET version = version + 1, body = :body, body_bytes = :body_bytes, agent = :agent, updated_at = :updated_at
WHERE space_id = :space_id AND id = :id AND version = :version
  AND EXISTS (SELECT 1 FROM attempts WHERE attempts.space_id = notes.space_id AND attempts.id = notes.attempt_id
    AND attempts.account_id = :account_id AND attempts.ended_at IS NULL)

-- name: research_note_anywhere
-- scatter: a note by its id alone
-- A note by its id alone: the space comes out.
SELECT * FROM notes WHERE id = :id AND attempt_id IS NOT NULL

-- name: research_cards
-- scatter: a page of the public record
-- What cards show, without the bodies' derived parts.
SELECT i.space_id, i.note_id, i.row_no, i.attempt_id, i.note_kind, i.title, i.kind, i.model, i.tags, i.builds_on,
  n.version, n.agent, n.body_bytes, n.created_at, n.updated_at, n.body, a.outcome, a.ended_at, accounts.handle
FROM note_index AS i
JOIN notes AS n ON n.space_id = i.space_id AND n.id = i.note_id
JOIN attempts AS a ON a.space_id = i.space_id AND a.id = i.attempt_id
JOIN accounts ON accounts.id = i.account_id
WHERE i.row_no IN (:row_nos...) AND i.attempt_id IS NOT NULL

-- name: citing_notes
-- scatter: notes of any problem may cite this one
-- Who builds on a note, newest first; what the viewer may not see is left out here.
SELECT i.space_id, i.note_id, i.title, i.kind, i.attempt_id, i.account_id, p.slug
FROM note_links AS l
JOIN note_index AS i ON i.space_id = l.space_id AND i.row_no = l.row_no
JOIN problems AS p ON p.id = i.space_id
WHERE l.target_id = :target_id AND (p.is_public = 1 OR :is_admin = 1 OR p.owner_id = :viewer OR i.account_id = :viewer)
ORDER BY i.row_no DESC LIMIT :count

-- name: record_read
INSERT INTO attempt_reads (space_id, attempt_id, note_id, read_at)
SELECT :space_id, :attempt_id, :note_id, :now
WHERE EXISTS (SELECT 1 FROM attempts WHERE space_id = :space_id AND id = :attempt_id AND account_id = :account_id
  AND ended_at IS NULL)
ON CONFLICT (space_id, attempt_id, note_id) DO NOTHING

-- name: reads_of_attempt
-- scatter: an attempt reads notes of other problems
-- What it has read, oldest first; a note that the viewer may not see is left out here, and one that is gone.
SELECT r.note_id, r.read_at
FROM attempt_reads AS r JOIN notes AS n ON n.id = r.note_id JOIN problems AS p ON p.id = n.space_id
WHERE r.space_id = :space_id AND r.attempt_id = :attempt_id
  AND (p.is_public = 1 OR :is_admin = 1 OR p.owner_id = :viewer OR n.account_id = :viewer)
ORDER BY r.read_at, r.note_id

-- name: record_search
INSERT INTO attempt_searches (space_id, attempt_id, searched_at, number, words, mode, cards)
SELECT :space_id, :attempt_id, :now, :number, :words, :mode, :cards
WHERE EXISTS (SELECT 1 FROM attempts WHERE space_id = :space_id AND id = :attempt_id AND account_id = :account_id
  AND ended_at IS NULL)

-- name: last_search_number
SELECT max(number) AS number FROM attempt_searches
WHERE space_id = :space_id AND attempt_id = :attempt_id AND searched_at = :now

-- name: searches_of_attempt
SELECT searched_at, words, mode, cards FROM attempt_searches WHERE space_id = :space_id AND attempt_id = :attempt_id
ORDER BY searched_at, number

-- name: visible_problems
-- scatter: a list over all problems
-- Published ones and the viewer's own, newest first, with what a list shows of them.
SELECT problems.*, accounts.handle AS owner_handle, campaigns.slug AS campaign_slug,
  coalesce(space_stats.notes, 0) AS notes
FROM problems
LEFT JOIN accounts ON accounts.id = problems.owner_id
LEFT JOIN campaigns ON campaigns.id = problems.campaign_id
  AND (campaigns.is_published = 1 OR campaigns.owner_id = :viewer OR :is_admin = 1)
LEFT JOIN space_stats ON space_stats.space_id = problems.id
WHERE (problems.is_public = 1 OR problems.owner_id = :viewer OR :is_admin = 1)
ORDER BY problems.created_at DESC, problems.id DESC

-- name: public_tag_counts
-- scatter: the public record
SELECT tag_key AS tag, count(*) AS notes FROM note_tags
WHERE space_id IN (SELECT id FROM problems WHERE is_public = 1) GROUP BY tag_key ORDER BY count(*) DESC LIMIT :count

-- name: notes_of_attempt
SELECT notes.* FROM note_index AS i JOIN notes ON notes.space_id = i.space_id AND notes.id = i.note_id
WHERE i.space_id = :space_id AND i.attempt_id = :attempt_id ORDER BY i.row_no

-- name: lineage_notes
-- scatter: notes of any problem may build on each other
-- The notes with these ids as a graph shows them; what the viewer may not see is left out here.
SELECT i.note_id, i.title, i.kind, i.attempt_id, i.builds_on, p.slug, accounts.handle
FROM notes AS n
JOIN note_index AS i ON i.space_id = n.space_id AND i.row_no = n.row_no
JOIN problems AS p ON p.id = n.space_id
LEFT JOIN accounts ON accounts.id = i.account_id
WHERE n.id IN (:ids...) AND n.attempt_id IS NOT NULL
  AND (p.is_public = 1 OR :is_admin = 1 OR p.owner_id = :viewer OR i.account_id = :viewer)

-- name: lineage_citing
-- scatter: notes of any problem may build on these
-- Who builds on any of these notes, newest first; what the viewer may not see is left out here.
SELECT DISTINCT i.note_id, i.row_no
FROM note_links AS l
JOIN note_index AS i ON i.space_id = l.space_id AND i.row_no = l.row_no
JOIN problems AS p ON p.id = i.space_id
WHERE l.target_id IN (:ids...)
  AND (p.is_public = 1 OR :is_admin = 1 OR p.owner_id = :viewer OR i.account_id = :viewer)
ORDER BY i.row_no DESC LIMIT :count
