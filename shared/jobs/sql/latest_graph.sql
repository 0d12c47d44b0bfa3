SELECT graph_id FROM jobs WHERE place_id = $1 AND ends_graph ORDER BY created_at DESC LIMIT 1
