-- What quota_reserve would read, of every meter that was used on the vendor's day or the day before, is waited for or is closed. No lock.
WITH clock AS (SELECT now() AS at, make_interval(secs => $6) AS frame, make_interval(secs => $7) AS margin),
meter AS (
    SELECT m.*, c.at, ((c.at - c.margin) AT TIME ZONE m.day_zone)::date AS day, c.frame / 60 AS width, c.margin,
           c.at - c.frame - c.margin - c.frame / 60 AS oldest
      FROM quota_meters m, clock c)
SELECT m.provider, m.key_hash, m.model,
       l.*, u.*, w.*, x.until AS closed_until, x.code AS closed_code, x.detail AS closed_detail, x.model = '*' AS key_closed,
       ((m.day + 1)::timestamp AT TIME ZONE m.day_zone) AS day_ends
  FROM meter m
 CROSS JOIN LATERAL quota_limits_of(m.provider, m.model, $1, $2, $3, $4, $5) l
 CROSS JOIN LATERAL (
    SELECT coalesce(sum(requests) FILTER (WHERE minute), 0)::bigint AS minute_requests,
           coalesce(sum(batch_requests) FILTER (WHERE minute), 0)::bigint AS minute_batch_requests,
           coalesce(sum(tokens) FILTER (WHERE minute), 0)::bigint AS minute_tokens,
           coalesce(sum(batch_tokens) FILTER (WHERE minute), 0)::bigint AS minute_batch_tokens,
           coalesce(sum(requests) FILTER (WHERE today), 0)::bigint AS today_requests,
           coalesce(sum(batch_requests) FILTER (WHERE today), 0)::bigint AS today_batch_requests,
           coalesce(sum(tokens) FILTER (WHERE today), 0)::bigint AS today_tokens,
           coalesce(sum(batch_tokens) FILTER (WHERE today), 0)::bigint AS today_batch_tokens,
           coalesce(sum(requests), 0) AS lately
      FROM (SELECT requests, batch_requests, tokens, batch_tokens, slot > m.oldest AS minute,
                   slot + m.width + m.margin >= m.day::timestamp AT TIME ZONE m.day_zone AS today
              FROM quota_slots s WHERE s.meter_id = m.meter_id
            UNION ALL
            SELECT 1, CASE WHEN interactive THEN 0 ELSE 1 END, tokens, CASE WHEN interactive THEN 0 ELSE tokens END, true, true
              FROM quota_reservations r
             WHERE r.meter_id = m.meter_id AND r.sent_at IS NULL AND r.lease_until > m.at - interval '2 seconds'
            UNION ALL
            SELECT requests, batch_requests, tokens, batch_tokens, false, d.day = m.day
              FROM quota_days d WHERE d.meter_id = m.meter_id AND d.day >= m.day - 1) counted) u
 CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE interactive) AS waiting_interactive, count(*) FILTER (WHERE NOT interactive) AS waiting_batch,
           min(since) AS waiting_since, min(due_at) AS next_turn_at,
           (array_agg(reason ORDER BY due_at))[1] AS waiting_for
      FROM quota_waiters q WHERE q.meter_id = m.meter_id AND q.due_at > m.at - interval '10 seconds') w
  LEFT JOIN LATERAL (
    SELECT c.until, c.code, c.detail, c.model FROM quota_closures c
     WHERE c.provider = m.provider AND c.key_hash = m.key_hash AND c.model IN (m.model, '*') AND c.until > m.at
     ORDER BY c.until DESC LIMIT 1) x ON true
 WHERE u.lately > 0 OR w.waiting_since IS NOT NULL OR x.until IS NOT NULL
 ORDER BY m.provider, m.model, m.key_hash
