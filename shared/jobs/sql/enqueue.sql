-- Inserts one job, or finds the active one with its key; no row when that one ended in between: the caller asks again.
-- Rides jobs_one_active_a_key. The notification carries nothing: it only says that there is something.
WITH created AS (
    INSERT INTO jobs (job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts, run_after,
                      waiting_on)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10), $11)
    ON CONFLICT (dedupe_key) WHERE status IN (1, 2) AND dedupe_key IS NOT NULL DO NOTHING
    RETURNING job_id)
SELECT job_id, true AS created, CASE WHEN $12 THEN pg_notify('web4ai_job', '') END FROM created
UNION ALL
SELECT job_id, false, NULL FROM jobs
 WHERE dedupe_key = $8 AND status IN (1, 2) AND NOT EXISTS (SELECT 1 FROM created)
