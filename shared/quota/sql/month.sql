-- Sixteen rows by the primary key, and what is reserved and not sent.
SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date AS month,
       coalesce((SELECT sum(usd) FROM quota_months WHERE month = date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0)::float8
           AS spent_usd,
       coalesce((SELECT sum(cost_usd) FROM quota_meters m JOIN quota_reservations r USING (meter_id)
                  WHERE r.sent_at IS NULL AND r.lease_until > now()), 0)::float8 AS reserved_usd
