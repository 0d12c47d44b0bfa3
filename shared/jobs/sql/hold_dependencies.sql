-- Jobs that others are to wait on, kept from ending until the edges stand. In the lock order of 0004_job_functions.sql.
SELECT job_id, status FROM jobs WHERE job_id = ANY ($1::uuid[]) ORDER BY waiting_on > 0, job_id FOR SHARE
