-- Rides on jobs_of_place. Jobs nobody has asked to stop.
SELECT EXISTS (
    SELECT FROM jobs WHERE place_id = $1 AND status IN (1, 2) AND cancel_requested_at IS NULL)
