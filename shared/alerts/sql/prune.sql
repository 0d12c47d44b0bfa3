-- One small batch of sent rows past retention, oldest first. Rides on alert_outbox_newest; waiting and refused ones stay.
WITH old AS MATERIALIZED (
    SELECT alert_id FROM alert_outbox
     WHERE status = 2 AND created_at < now() - make_interval(secs => $1) AND window_until < now()
     ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED),
gone AS (DELETE FROM alert_outbox WHERE alert_id = ANY (ARRAY(SELECT alert_id FROM old)) RETURNING 1)
SELECT count(*) FROM gone
