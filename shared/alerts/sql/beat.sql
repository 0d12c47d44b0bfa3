-- Read by readiness: the flusher was here.
INSERT INTO beats (name, detail) VALUES ('alert_flusher', $1::text::jsonb)
ON CONFLICT (name) DO UPDATE SET seen_at = now(), detail = EXCLUDED.detail
