-- See job_claim: type rows locked first, then one range of jobs_ready a (type, priority).
SELECT job_id, job_type, attempt FROM job_claim($1, $2, make_interval(secs => $3))
