-- New jobs that wait on fewer than their rows say, two of their dependencies being one; nobody else sees them yet.
UPDATE jobs j SET waiting_on = n.waits FROM unnest($1::uuid[], $2::integer[]) AS n(job_id, waits) WHERE j.job_id = n.job_id
