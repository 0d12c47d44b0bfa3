-- One small batch past its time, oldest first. Rides on channel_outcomes_by_time; append only, so nothing else locks it.
WITH old AS MATERIALIZED (
    SELECT outcome_id FROM channel_outcomes
     WHERE asked_at < now() - make_interval(secs => $1::float8)
     ORDER BY asked_at LIMIT $2 FOR UPDATE SKIP LOCKED),
gone AS (DELETE FROM channel_outcomes WHERE outcome_id = ANY (ARRAY(SELECT outcome_id FROM old)) RETURNING 1)
SELECT count(*) FROM gone
