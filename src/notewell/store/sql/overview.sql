-- name: notes_by_week
-- Notes of a memory by the week they were made in, counted from the one that 1970 began in; from the index of row numbers
-- alone, which carry the time, so that no note is read.
SELECT ((row_no >> :row_bits) + :offset) / :week_milliseconds AS week, count(*) AS notes FROM notes
WHERE space_id = :space_id AND row_no >= :from_row GROUP BY week

-- name: notes_by_agent
-- Whose text the notes of a memory are now; a person's have no agent.
SELECT agent, count(*) AS notes, max(updated_at) AS last_at FROM notes WHERE space_id = :space_id
GROUP BY agent ORDER BY count(*) DESC, agent LIMIT :count

-- name: agent_total
SELECT count(DISTINCT agent) AS total FROM notes WHERE space_id = :space_id

-- name: memory_size
SELECT count(*) AS notes, coalesce(sum(CASE WHEN status = 'archived' THEN 1 ELSE 0 END), 0) AS archived,
  CAST(coalesce(sum(body_bytes), 0) AS BIGINT) AS bytes, min(created_at) AS first_at, max(updated_at) AS last_at
FROM notes WHERE space_id = :space_id

-- name: embedded_in_space
SELECT count(DISTINCT note_id) AS notes FROM note_vectors WHERE space_id = :space_id AND model_id = :model_id

-- name: jobs_in_space
SELECT count(due_at) AS waiting, count(*) - count(due_at) AS failed FROM jobs WHERE space_id = :space_id

-- name: research_by_week
-- scatter: what one person wrote lies with the problems it is about
SELECT ((row_no >> :row_bits) + :offset) / :week_milliseconds AS week, count(*) AS notes FROM note_index
WHERE account_id = :account_id AND attempt_id IS NOT NULL AND row_no >= :from_row GROUP BY week

-- name: research_by_kind
-- scatter: as above
-- Notes whose header names no kind count as those of the kind ''.
SELECT coalesce(kind, '') AS kind, count(*) AS notes FROM note_index
WHERE account_id = :account_id AND attempt_id IS NOT NULL
GROUP BY coalesce(kind, '') ORDER BY count(*) DESC, coalesce(kind, '') LIMIT :count

-- name: research_size
-- scatter: as above
SELECT count(*) AS notes, count(DISTINCT attempt_id) AS attempts, count(DISTINCT space_id) AS problems FROM note_index
WHERE account_id = :account_id AND attempt_id IS NOT NULL

-- name: research_per_account
-- scatter: the whole store, for who looks after it
SELECT account_id, count(*) AS notes FROM note_index WHERE attempt_id IS NOT NULL GROUP BY account_id

-- name: record_size
SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM campaigns) AS campaigns,
  (SELECT count(*) FROM problems) AS problems
