-- Inserts a batch, in the order of the arrays; the ids that come back are those created, the others met an active job with their key,
-- perhaps one before them in the batch. Arrays, not a parameter a column a row: no limit of 65,535.
INSERT INTO jobs (job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts, run_after,
                  waiting_on)
SELECT job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts,
       now() + make_interval(secs => delay), waiting_on
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::uuid[], $5::boolean[], $6::smallint[], $7::jsonb[], $8::text[],
              $9::integer[], $10::double precision[], $11::integer[])
       AS n(job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts, delay, waiting_on)
ON CONFLICT (dedupe_key) WHERE status IN (1, 2) AND dedupe_key IS NOT NULL DO NOTHING
RETURNING job_id
