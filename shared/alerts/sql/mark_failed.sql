-- Conditional on the token. Due again after $4 seconds; $5: the receiver asked for them, so nothing else is posted until then.
UPDATE alert_outbox
   SET attempts = attempts + 1, last_error = left($3, 2000), next_attempt_at = now() + make_interval(secs => $4), held = $5,
       lease_until = NULL, lease_token = NULL, updated_at = now()
 WHERE alert_id = $1 AND lease_token = $2 AND status = 1
RETURNING alert_id
