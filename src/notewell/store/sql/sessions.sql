-- name: password_by_handle
SELECT accounts.*, passwords.hash, passwords.updated_at AS password_at
FROM accounts LEFT JOIN passwords ON passwords.account_id = accounts.id WHERE accounts.handle_key = :handle_key

-- name: password_of_account
SELECT hash, updated_at FROM passwords WHERE account_id = :account_id

-- name: count_passwords
SELECT count(*) AS passwords FROM passwords

-- name: put_password
INSERT INTO passwords (account_id, hash, updated_at) VALUES (:account_id, :hash, :now)
ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, updated_at = excluded.updated_at

-- name: renew_password_hash
-- Only where nobody set another password meanwhile.
UPDATE passwords SET hash = :hash WHERE account_id = :account_id AND hash = :old_hash

-- name: insert_session
-- Only while the password is the one that was checked: it may be set anew while a login is on its way.
INSERT INTO sessions (id, account_id, secret_hash, browser, created_at, expires_at, last_used_at)
SELECT :id, account_id, :secret_hash, :browser, :now, :expires_at, :now
FROM passwords WHERE account_id = :account_id AND updated_at = :password_at

-- name: session_by_secret
SELECT sessions.*, accounts.handle, accounts.is_admin
FROM sessions JOIN accounts ON accounts.id = sessions.account_id WHERE secret_hash = :secret_hash

-- name: sessions_of_account
SELECT * FROM sessions WHERE account_id = :account_id AND expires_at > :now AND last_used_at > :idle_since
ORDER BY last_used_at DESC, id DESC

-- name: touch_session
UPDATE sessions SET last_used_at = :now WHERE id = :id

-- name: delete_session
DELETE FROM sessions WHERE account_id = :account_id AND id = :id

-- name: delete_other_sessions
DELETE FROM sessions WHERE account_id = :account_id AND id <> :keep_id

-- name: delete_old_sessions
DELETE FROM sessions WHERE expires_at <= :now OR last_used_at <= :idle_since
