-- Rides on alert_outbox_newest, newest first, after the (created_at, alert_id) of the last page's end. $1 may be NULL.
SELECT alert_id, kind, title, detail::text AS detail, dedupe_key, occurrences, posted, status, attempts,
       next_attempt_at, last_error, created_at, updated_at, sent_at
  FROM alert_outbox
 WHERE ($1::smallint IS NULL OR status = $1)
   AND ($2::timestamptz IS NULL OR (created_at, alert_id) < ($2, $3::uuid))
 ORDER BY created_at DESC, alert_id DESC
 LIMIT $4
