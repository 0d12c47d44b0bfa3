-- One small batch of finished jobs past retention, oldest first; DEAD ones only once acknowledged. Rides jobs_over and jobs_acknowledged.
WITH done AS MATERIALIZED (
    SELECT job_id FROM jobs WHERE status = 3 AND finished_at < now() - make_interval(secs => $1)
     ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED),
cancelled AS MATERIALIZED (
    SELECT job_id FROM jobs WHERE status = 5 AND finished_at < now() - make_interval(secs => $1)
     ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED),
seen AS MATERIALIZED (
    SELECT job_id FROM jobs WHERE status = 4 AND finished_at < now() - make_interval(secs => $1) AND acknowledged_at IS NOT NULL
     ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED),
old AS MATERIALIZED (
    SELECT job_id FROM done UNION ALL SELECT job_id FROM cancelled UNION ALL SELECT job_id FROM seen LIMIT $2),
gone AS (DELETE FROM jobs WHERE job_id = ANY (ARRAY(SELECT job_id FROM old)) RETURNING 1)
SELECT count(*) FROM gone
