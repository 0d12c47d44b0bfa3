UPDATE job_type_settings SET paused = $2 WHERE job_type = $1 RETURNING true
