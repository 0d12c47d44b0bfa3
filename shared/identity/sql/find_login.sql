-- Rides on users_email_key.
SELECT user_id, email, role, locale, token_version, created_at, disabled_at, password_hash
  FROM users
 WHERE email = $1 AND disabled_at IS NULL
