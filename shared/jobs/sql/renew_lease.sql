SELECT job_id, cancel_requested FROM job_renew_lease($1::uuid[], $2::uuid[], $3::integer[], make_interval(secs => $4), $5)
