SELECT job_id FROM jobs WHERE place_id = $1 AND status IN (1, 2)
