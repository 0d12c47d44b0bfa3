-- Conditional on the token. Nothing was tried: the row is due again after $3 seconds, or as it was for 0.
UPDATE alert_outbox
   SET next_attempt_at = CASE WHEN $3::float8 > 0 THEN now() + make_interval(secs => $3) ELSE next_attempt_at END,
       lease_until = NULL, lease_token = NULL, updated_at = now()
 WHERE alert_id = $1 AND lease_token = $2 AND status = 1
