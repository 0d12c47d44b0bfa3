-- Takes only while the version is still the newest. Rides on the primary key.
UPDATE site_roots SET content_hash = $3 WHERE name = $1 AND version = $2 RETURNING version
