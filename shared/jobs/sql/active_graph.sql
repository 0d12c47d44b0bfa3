-- The place's active graph. Rides jobs_one_graph_a_place.
SELECT graph_id FROM jobs WHERE place_id = $1 AND ends_graph AND status IN (1, 2)
