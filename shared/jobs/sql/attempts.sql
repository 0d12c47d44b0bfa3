SELECT attempt, invocation_id, claimed_at, run_started_at, ended_at, outcome, error
  FROM job_attempts WHERE job_id = $1 ORDER BY ended_at, attempt
