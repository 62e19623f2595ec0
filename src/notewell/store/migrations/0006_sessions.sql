-- How people sign in on the pages: a password each, and a row for every browser that is signed in.

CREATE TABLE passwords (
  account_id TEXT PRIMARY KEY REFERENCES accounts,
  hash TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);
-- place: passwords everywhere

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts,
  secret_hash TEXT NOT NULL UNIQUE,
  browser TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
);
-- place: sessions everywhere
CREATE INDEX sessions_by_account ON sessions (account_id, last_used_at);
