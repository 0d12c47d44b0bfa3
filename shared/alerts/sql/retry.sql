-- Rides on the primary key. A refused or waiting row is due now; one that was sent, or is being posted, stays.
-- Whoever asks for it also ends a wait that the receiver asked for with this row.
UPDATE alert_outbox
   SET status = 1, attempts = 0, next_attempt_at = now(), held = false, lease_until = NULL, lease_token = NULL, updated_at = now()
 WHERE alert_id = $1 AND status IN (1, 3) AND (lease_until IS NULL OR lease_until <= now())
RETURNING alert_id
