-- What was written of the newest version; NULL when nobody has. Rides on the primary key.
SELECT content_hash FROM site_roots WHERE name = $1
