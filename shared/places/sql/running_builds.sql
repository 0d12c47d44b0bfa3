-- Rides on jobs_of_place. What may still publish after its cancellation was asked for.
SELECT job_id FROM jobs WHERE place_id = $1 AND status = 2 AND job_type = $2
