INSERT INTO beats (name, seen_at, detail) VALUES ($1, now(), $2)
ON CONFLICT (name) DO UPDATE SET seen_at = now(), detail = EXCLUDED.detail
