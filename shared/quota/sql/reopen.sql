DELETE FROM quota_closures WHERE provider = $1 AND key_hash = $2 AND model = $3 AND until > now() RETURNING true
