-- Rides on the primary key.
SELECT alert_id, kind, title, detail::text AS detail, dedupe_key, occurrences, posted, status, attempts,
       next_attempt_at, last_error, created_at, updated_at, sent_at
  FROM alert_outbox
 WHERE alert_id = $1
