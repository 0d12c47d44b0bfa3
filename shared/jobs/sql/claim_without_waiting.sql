-- The same, passing over the limited types whose rows somebody holds.
SELECT job_id, job_type, attempt FROM job_claim($1, $2, make_interval(secs => $3), false)
