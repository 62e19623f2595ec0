-- name: stale_spaces
-- scatter: sweep
-- Spaces with a note that the index does not hold, or holds as an older analyzer or header parser made it.
SELECT DISTINCT notes.space_id FROM notes
LEFT JOIN note_index AS i ON i.space_id = notes.space_id AND i.note_id = notes.id
WHERE i.note_id IS NULL OR i.analyzer_version <> :analyzer_version
  OR (i.header_version IS NOT NULL AND i.header_version <> :header_version)
ORDER BY notes.space_id

-- name: problems_out_of_step
-- Problems whose public flag is not what their own flags and their campaign's say: a change of a campaign stopped.
SELECT problems.id, coalesce(campaigns.is_published, 1) AS campaign_is_published
FROM problems LEFT JOIN campaigns ON campaigns.id = problems.campaign_id
WHERE problems.is_public <> (CASE WHEN problems.is_published = 1 AND problems.is_validation_copy = 0
  AND (problems.campaign_id IS NULL OR campaigns.is_published = 1) THEN 1 ELSE 0 END)
ORDER BY problems.id

-- name: uncleaned_homes
SELECT home FROM uncleaned_homes ORDER BY home

-- name: forget_uncleaned
DELETE FROM uncleaned_homes WHERE home = :home

-- name: begin_sweep
-- Of several processes, the one whose statement changes the row sweeps.
UPDATE sweeps SET last_at = :now WHERE id = 1 AND last_at <= :before

-- name: last_sweep
SELECT last_at FROM sweeps WHERE id = 1
