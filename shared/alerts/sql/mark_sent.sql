-- Conditional on the token. What was counted after the claim is told when the row's window ends.
UPDATE alert_outbox
   SET posted          = $3,
       status          = CASE WHEN occurrences > $3 THEN 1 ELSE 2 END,
       next_attempt_at = CASE WHEN occurrences > $3 THEN greatest(window_until, now()) ELSE next_attempt_at END,
       sent_at = now(), attempts = 0, last_error = NULL, lease_until = NULL, lease_token = NULL, updated_at = now()
 WHERE alert_id = $1 AND lease_token = $2 AND status = 1
RETURNING alert_id
