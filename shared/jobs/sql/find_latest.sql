-- Rides jobs_newest_of_key.
SELECT * FROM jobs WHERE dedupe_key = $1 ORDER BY created_at DESC LIMIT 1
