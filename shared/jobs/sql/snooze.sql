SELECT job_snooze($1, $2, $3, make_interval(secs => $4), $5, $6, make_interval(secs => $7))
