SELECT job_id, status FROM job_release($1::uuid[], $2::uuid[], $3::integer[], $4, $5, make_interval(secs => $6))
