-- Rides on alert_outbox_due: what waits to be posted again. The same as recover for all of a kind's keys but $2.
UPDATE alert_outbox SET status = 2, posted = occurrences, next_attempt_at = now(), updated_at = now()
 WHERE kind = $1 AND dedupe_key <> ALL ($2::text[]) AND open AND status = 1 AND posted > 0
   AND (lease_until IS NULL OR lease_until <= now())
