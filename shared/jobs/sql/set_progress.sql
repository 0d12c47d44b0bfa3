-- Only while the lease holds.
UPDATE jobs SET progress = $4, updated_at = now()
 WHERE job_id = $1 AND worker_id = $2 AND attempts = $3 AND status = 2 AND lease_until > now()
RETURNING true
