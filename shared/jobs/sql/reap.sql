-- One page of leases that ran out, after $1 in job_id order. Rides jobs_running.
SELECT job_id, job_type, status, last_error, problem FROM job_reap($1, $2, $3, make_interval(secs => $4))
