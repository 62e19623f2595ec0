-- name: enqueue_job
-- A new or changed text: whoever still works on the old one loses the lease, and with it the right to store a vector.
INSERT INTO jobs (space_id, note_id, due_at, lease, attempts, reason)
VALUES (:space_id, :note_id, :now, NULL, 0, '')
ON CONFLICT (space_id, note_id) DO UPDATE SET due_at = :now, lease = NULL, attempts = 0, reason = ''

-- name: delete_job
DELETE FROM jobs WHERE space_id = :space_id AND note_id = :note_id

-- name: spaces_with_due_jobs
-- scatter: a worker looks for work everywhere
-- The first step of a claim: candidates, without locks; those of the oldest jobs, so that a long queue is not read.
SELECT DISTINCT space_id FROM (SELECT space_id FROM jobs WHERE due_at <= :now ORDER BY due_at LIMIT 1000) AS due
LIMIT :count

-- name: claim_jobs
-- The second step, inside one space. A claimed job is due again when its lease ends. The candidates are chosen once, before
-- the update: PostgreSQL may ask an inner SELECT again for each row, and it would then skip those that it has locked.
WITH due AS MATERIALIZED (SELECT note_id FROM jobs WHERE space_id = :space_id AND due_at <= :now
  ORDER BY due_at, note_id LIMIT :count {skip_locked})
UPDATE jobs SET lease = :lease, due_at = :lease_until, attempts = attempts + 1
WHERE space_id = :space_id AND note_id IN (SELECT note_id FROM due)

-- name: claimed_notes
SELECT notes.*, jobs.attempts FROM jobs
JOIN notes ON notes.space_id = jobs.space_id AND notes.id = jobs.note_id
WHERE jobs.space_id = :space_id AND jobs.lease = :lease ORDER BY jobs.due_at, jobs.note_id

-- name: finish_job
-- Only by who holds the lease: a text that changed meanwhile has none.
DELETE FROM jobs WHERE space_id = :space_id AND note_id = :note_id AND lease = :lease

-- name: postpone_job
UPDATE jobs SET lease = NULL, due_at = :due_at, reason = :reason
WHERE space_id = :space_id AND note_id = :note_id AND lease = :lease

-- name: release_jobs
-- Gives claimed jobs back as they were: the attempt does not count.
UPDATE jobs SET lease = NULL, due_at = :now, attempts = attempts - 1 WHERE space_id = :space_id AND lease = :lease

-- name: spaces_with_backlog
-- scatter: sweep
-- Where a note has neither a vector of the model nor a job that will make one.
SELECT DISTINCT notes.space_id FROM notes
WHERE NOT EXISTS (SELECT 1 FROM note_vectors AS v WHERE v.space_id = notes.space_id AND v.note_id = notes.id
  AND v.model_id = :model_id AND v.content_hash >= :version_start AND v.content_hash < :version_end)
  AND NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.space_id = notes.space_id AND j.note_id = notes.id
    AND j.due_at IS NOT NULL)
ORDER BY notes.space_id

-- name: enqueue_backlog
-- The same notes of one space; what failed for good is tried again.
INSERT INTO jobs (space_id, note_id, due_at, lease, attempts, reason)
SELECT notes.space_id, notes.id, :now, NULL, 0, '' FROM notes
WHERE notes.space_id = :space_id AND NOT EXISTS (SELECT 1 FROM note_vectors AS v WHERE v.space_id = notes.space_id AND v.note_id = notes.id
  AND v.model_id = :model_id AND v.content_hash >= :version_start AND v.content_hash < :version_end)
  AND NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.space_id = notes.space_id AND j.note_id = notes.id
    AND j.due_at IS NOT NULL)
ON CONFLICT (space_id, note_id) DO UPDATE SET due_at = :now, lease = NULL, attempts = 0

-- name: return_expired_leases
-- scatter: sweep
UPDATE jobs SET lease = NULL WHERE lease IS NOT NULL AND due_at <= :now

-- name: job_counts
-- scatter: doctor
SELECT count(*) AS jobs, coalesce(sum(CASE WHEN due_at IS NULL THEN 1 ELSE 0 END), 0) AS failed,
  min(due_at) AS oldest FROM jobs

-- name: failure_reasons
-- scatter: doctor
SELECT reason, count(*) AS jobs FROM jobs WHERE reason <> '' GROUP BY reason ORDER BY count(*) DESC LIMIT :count

-- name: next_vector_seq
UPDATE vector_clock SET seq = seq + 1 WHERE id = 1

-- name: vector_seq
SELECT seq, forgotten_seq FROM vector_clock WHERE id = 1

-- name: insert_vector
INSERT INTO note_vectors (space_id, note_id, model_id, chunk, row_no, seq, content_hash, scale, numbers)
VALUES (:space_id, :note_id, :model_id, :chunk, :row_no, :seq, :content_hash, :scale, :numbers)

-- name: delete_vectors
DELETE FROM note_vectors WHERE space_id = :space_id AND note_id = :note_id

-- name: delete_model_vectors
DELETE FROM note_vectors WHERE space_id = :space_id AND note_id = :note_id AND model_id = :model_id

-- name: delete_other_models
-- scatter: sweep
-- Once every note has a vector of the model in use, those of earlier models go.
DELETE FROM note_vectors WHERE model_id <> :model_id

-- name: bury_vectors
INSERT INTO vector_tombstones (space_id, row_no, seq, gone_at) VALUES (:space_id, :row_no, :seq, :now)
ON CONFLICT (space_id, row_no) DO UPDATE SET seq = :seq, gone_at = :now

-- name: forget_tombstones
-- scatter: sweep
DELETE FROM vector_tombstones WHERE gone_at < :before

-- name: note_forgotten
UPDATE vector_clock SET forgotten_seq = :seq WHERE id = 1

-- name: last_forgotten
-- scatter: sweep
SELECT coalesce(max(seq), 0) AS seq FROM vector_tombstones WHERE gone_at < :before

-- name: vectors_since
-- scatter: the matrix holds all vectors
-- A stretch of the changes.
SELECT space_id, row_no, seq, scale, numbers FROM note_vectors
WHERE model_id = :model_id AND seq > :seen AND seq <= :until

-- name: vector_count
-- scatter: the matrix holds all vectors
SELECT count(*) AS vectors FROM note_vectors WHERE model_id = :model_id

-- name: vectors_gone_since
-- scatter: the matrix holds all vectors
SELECT row_no FROM vector_tombstones WHERE seq > :seen

-- name: embedded_counts
-- scatter: doctor
-- Notes with a vector of the model, by space.
SELECT space_id, count(DISTINCT note_id) AS notes FROM note_vectors WHERE model_id = :model_id GROUP BY space_id

-- name: vector_sample
-- scatter: sweep and doctor
-- Some vectors to be held against their notes' texts. Drawn first and joined then: else every body would be read.
SELECT v.content_hash, notes.* FROM (
  SELECT space_id, note_id, content_hash FROM note_vectors
  WHERE model_id = :model_id AND chunk = 0 ORDER BY random() LIMIT :count
) AS v JOIN notes ON notes.space_id = v.space_id AND notes.id = v.note_id

-- name: public_spaces
SELECT id FROM problems WHERE is_public = 1

-- name: public_note_count
-- scatter: the public record
SELECT coalesce(sum(space_stats.notes), 0) AS notes FROM space_stats
JOIN problems ON problems.id = space_stats.space_id WHERE problems.is_public = 1

-- name: vectors_by_model
-- scatter: doctor
SELECT model_id, count(DISTINCT note_id) AS notes, count(*) AS vectors, sum(length(numbers)) AS bytes
FROM note_vectors GROUP BY model_id ORDER BY model_id
