-- Rides on the primary key; read on every request.
SELECT user_id, email, role, locale, token_version, created_at, disabled_at FROM users WHERE user_id = $1
