-- The unique address decides between two at once.
INSERT INTO users (email, password_hash, role, locale)
VALUES ($1, $2, $3, $4)
ON CONFLICT (email) DO NOTHING
RETURNING user_id, email, role, locale, token_version, created_at, disabled_at
