-- Rides on sites' primary key, copies_one_current and jobs_of_place.
SELECT EXISTS (SELECT FROM sites WHERE place_id = $1)
    OR EXISTS (SELECT FROM copies WHERE place_id = $1)
    OR EXISTS (SELECT FROM jobs WHERE place_id = $1)
