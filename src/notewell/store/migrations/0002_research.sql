-- The research half: campaigns, problems with revisions, attempts, and what is derived from research notes' headers.
-- A problem is the space of its notes; problems and campaigns themselves are small and known everywhere.

CREATE TABLE campaigns (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  is_published INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
-- place: campaigns everywhere

-- is_public is kept in step with the flags it follows from, so that public searches need no more than this column.
CREATE TABLE problems (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  campaign_id TEXT,
  is_published INTEGER NOT NULL,
  is_validation_copy INTEGER NOT NULL,
  is_public INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
-- place: problems everywhere
CREATE INDEX problems_by_campaign ON problems (campaign_id);
CREATE INDEX problems_by_owner ON problems (owner_id);

CREATE TABLE problem_revisions (
  problem_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  statement_md TEXT NOT NULL,
  PRIMARY KEY (problem_id, number)
);
-- place: problem_revisions everywhere

CREATE TABLE attempts (
  space_id TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  outcome TEXT,
  PRIMARY KEY (space_id, id)
);
-- place: attempts by space
CREATE INDEX attempts_by_id_anywhere ON attempts (id);
CREATE INDEX attempts_by_start ON attempts (space_id, started_at);

-- What an attempt has read: each note once.
CREATE TABLE attempt_reads (
  space_id TEXT NOT NULL,
  attempt_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  read_at BIGINT NOT NULL,
  PRIMARY KEY (space_id, attempt_id, note_id)
) {without_rowid};
-- place: attempt_reads by space

-- What an attempt has searched for.
CREATE TABLE attempt_searches (
  space_id TEXT NOT NULL,
  attempt_id TEXT NOT NULL,
  searched_at BIGINT NOT NULL,
  number INTEGER NOT NULL,
  words TEXT NOT NULL,
  mode TEXT NOT NULL,
  cards INTEGER NOT NULL,
  PRIMARY KEY (space_id, attempt_id, searched_at, number)
) {without_rowid};
-- place: attempt_searches by space

CREATE INDEX note_index_newest ON note_index (row_no);
CREATE INDEX note_index_by_attempt ON note_index (space_id, attempt_id, row_no);
CREATE INDEX note_index_by_kind ON note_index (space_id, kind, row_no);
CREATE INDEX note_index_by_author ON note_index (account_id, row_no);

-- Derived: the entries of builds_on, to be followed backwards. The target may lie in another space, or not exist.
CREATE TABLE note_links (
  space_id TEXT NOT NULL,
  row_no BIGINT NOT NULL,
  target_id TEXT NOT NULL,
  PRIMARY KEY (space_id, row_no, target_id)
) {without_rowid};
-- place: note_links by space
CREATE INDEX note_links_by_target ON note_links (target_id, row_no);
