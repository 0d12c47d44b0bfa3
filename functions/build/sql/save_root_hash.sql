-- robots.txt: its version moves when its content does. Rides on the primary key.
INSERT INTO site_roots AS r (name, version, content_hash) VALUES ($1, 1, $2)
ON CONFLICT (name) DO UPDATE
   SET version = r.version + (r.content_hash IS DISTINCT FROM EXCLUDED.content_hash)::int,
       content_hash = EXCLUDED.content_hash
