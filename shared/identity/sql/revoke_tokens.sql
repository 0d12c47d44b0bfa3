-- Rides on the primary key.
UPDATE users SET token_version = token_version + 1 WHERE user_id = $1 RETURNING token_version
