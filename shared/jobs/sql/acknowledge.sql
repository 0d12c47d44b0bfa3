UPDATE jobs SET acknowledged_at = now(), updated_at = now() WHERE job_id = $1 AND status = 4 AND acknowledged_at IS NULL
RETURNING true
