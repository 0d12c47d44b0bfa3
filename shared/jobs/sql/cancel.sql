SELECT job_id, status FROM job_cancel($1::uuid[])
