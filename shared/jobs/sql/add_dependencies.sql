INSERT INTO job_dependencies (job_id, depends_on, required)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::boolean[])
