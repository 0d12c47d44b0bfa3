-- What tells a stall from a quiet hour. Oldest pending counts from when a job became ready; a paused type does not count.
-- The heads of the (type, priority) ranges of jobs_ready are enough to find it.
WITH RECURSIVE head AS (
    (SELECT job_type, priority, run_after FROM jobs WHERE status = 1 AND waiting_on = 0
      ORDER BY job_type, priority, run_after LIMIT 1)
    UNION ALL
    SELECT n.* FROM head h, LATERAL (
        SELECT job_type, priority, run_after FROM jobs
         WHERE status = 1 AND waiting_on = 0 AND (job_type, priority) > (h.job_type, h.priority)
         ORDER BY job_type, priority, run_after LIMIT 1) n)
SELECT (SELECT count(*) FROM jobs WHERE status = 4 AND finished_at > now() - interval '1 hour') AS dead_1h,
       (SELECT count(*) FROM jobs WHERE status = 2
           AND (lease_until < now() OR run_started_at < now() - interval '10 minutes')) AS stuck_running,
       (SELECT greatest(0, extract(epoch FROM now() - min(h.run_after)))::float8 FROM head h
          LEFT JOIN job_type_settings s USING (job_type)
         WHERE h.run_after <= now() AND NOT coalesce(s.paused, false)) AS oldest_pending_sec,
       (SELECT count(*) FROM job_attempts WHERE ended_at > now() - interval '1 hour'
           AND error LIKE 'JobDeadlineExceeded%') AS deadline_1h
