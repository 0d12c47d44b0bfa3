SELECT job_fail($1, $2, $3, $4, $5, $6, make_interval(secs => $7))
