-- Conditional on the token. The receiver refused it: only a person's retry brings it back.
UPDATE alert_outbox
   SET status = 3, attempts = attempts + 1, last_error = left($3, 2000), lease_until = NULL, lease_token = NULL,
       updated_at = now()
 WHERE alert_id = $1 AND lease_token = $2 AND status = 1
RETURNING alert_id
