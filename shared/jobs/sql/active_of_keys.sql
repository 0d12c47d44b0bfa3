-- The active jobs of some keys. Rides jobs_one_active_a_key.
SELECT dedupe_key, job_id FROM jobs WHERE dedupe_key = ANY ($1::text[]) AND status IN (1, 2)
