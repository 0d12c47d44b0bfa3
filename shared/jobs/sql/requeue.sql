SELECT job_id, outcome, other FROM job_requeue($1)
