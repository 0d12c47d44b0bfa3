-- The job that ends a graph goes in first: the index that allows one active graph a place decides who starts it.
INSERT INTO jobs (job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts, waiting_on)
VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8, $9)
ON CONFLICT DO NOTHING
RETURNING job_id
