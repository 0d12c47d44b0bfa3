-- Rides on alert_outbox_one_open. A condition is over: what was counted since its post is no news any more. A row not posted yet is
-- still told, and the window stays, so that a condition that comes and goes is told once a window.
UPDATE alert_outbox SET status = 2, posted = occurrences, next_attempt_at = now(), updated_at = now()
 WHERE dedupe_key = $1 AND open AND status = 1 AND posted > 0 AND (lease_until IS NULL OR lease_until <= now())
