-- name: account_by_key
SELECT * FROM accounts WHERE handle_key = :handle_key

-- name: account_by_id
SELECT * FROM accounts WHERE id = :id

-- name: handles
SELECT id, handle FROM accounts WHERE id IN (:ids...)

-- name: all_accounts
SELECT * FROM accounts ORDER BY handle_key

-- name: insert_account
-- Two first starts may race: the one that comes second finds the account made.
INSERT INTO accounts (id, handle, handle_key, is_admin, created_at)
VALUES (:id, :handle, :handle_key, :is_admin, :now) ON CONFLICT (handle_key) DO NOTHING

-- name: insert_token
INSERT INTO tokens (id, account_id, secret_hash, hint, agent, scopes, created_at, expires_at)
VALUES (:id, :account_id, :secret_hash, :hint, :agent, :scopes, :now, :expires_at)

-- name: token_by_secret
SELECT tokens.*, accounts.handle, accounts.is_admin
FROM tokens JOIN accounts ON accounts.id = tokens.account_id WHERE secret_hash = :secret_hash

-- name: tokens_of_account
SELECT * FROM tokens WHERE account_id = :account_id ORDER BY created_at, id

-- name: count_live_tokens
SELECT count(*) AS tokens FROM tokens WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)

-- name: revoke_token
UPDATE tokens SET revoked_at = :now WHERE account_id = :account_id AND id = :id AND revoked_at IS NULL

-- name: touch_token
UPDATE tokens SET last_used_at = :now WHERE id = :id

-- name: write_health_check
-- Goes all the way to the disk: whether that works is the health of a store. A value that stayed the same would not be
-- written. The row 1 of this table is that of the sweep.
INSERT INTO sweeps (id, last_at) VALUES (2, 1) ON CONFLICT (id) DO UPDATE SET last_at = sweeps.last_at + 1
