-- Rides on alert_outbox_due. SKIP LOCKED, so two flushers never take one row and a raise in progress never stops one.
-- The lease keeps a row of a flusher that died until it runs out; the token fences whoever comes back late.
-- While a row waits because the receiver asked for time (alert_outbox_held), none is due. $4 is the zone people read times in.
WITH due AS MATERIALIZED (
    SELECT alert_id
      FROM alert_outbox
     WHERE status = 1 AND next_attempt_at <= now() AND (lease_until IS NULL OR lease_until <= now())
       AND NOT EXISTS (SELECT FROM alert_outbox h WHERE h.held AND h.next_attempt_at > now())
     ORDER BY next_attempt_at, alert_id
     LIMIT $1
       FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
    UPDATE alert_outbox a
       SET lease_until = now() + make_interval(secs => $2), lease_token = $3, held = false, updated_at = now()
      FROM due
     WHERE a.alert_id = due.alert_id
    RETURNING a.*
)
SELECT c.alert_id, c.kind, c.title, c.detail::text AS detail, c.occurrences, c.posted, c.attempts, c.created_at,
       c.updated_at, c.window_until, p.name AS place_name, now() AS claimed_at,
       extract(epoch FROM (c.created_at AT TIME ZONE $4::text) - (c.created_at AT TIME ZONE 'UTC'))::integer AS utc_offset
  FROM claimed c
  LEFT JOIN places p
    ON p.place_id = CASE WHEN c.detail ->> 'place_id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                         THEN (c.detail ->> 'place_id')::uuid END
 ORDER BY c.next_attempt_at, c.alert_id
