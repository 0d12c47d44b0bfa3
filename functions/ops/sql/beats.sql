-- A handful of rows.
SELECT name, seen_at, extract(epoch FROM now() - seen_at)::float8 AS age_sec FROM beats ORDER BY name
