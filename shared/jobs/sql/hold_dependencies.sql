-- Jobs that others are to wait on, by their ids or, while active, by their keys; kept from ending until the edges stand. In the lock
-- order of 0004_job_functions.sql.
SELECT job_id, status FROM jobs
 WHERE job_id = ANY ($1::uuid[]) OR (dedupe_key = ANY ($2::text[]) AND status IN (1, 2))
 ORDER BY waiting_on > 0, job_id FOR SHARE
