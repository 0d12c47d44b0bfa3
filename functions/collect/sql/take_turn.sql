-- The next turn of a vendor, $2 seconds after the one before; no row while it is closed or when the wait exceeds $3.
-- Locks the vendor's row for this one statement, which commits by itself. Rides the primary key.
INSERT INTO channel_pace AS p (channel, next_at)
VALUES ($1, clock_timestamp() + make_interval(secs => $2::float8))
ON CONFLICT (channel) DO UPDATE
   SET next_at = greatest(p.next_at, clock_timestamp()) + make_interval(secs => $2::float8)
 WHERE (p.closed_until IS NULL OR p.closed_until <= clock_timestamp())
   AND p.next_at - clock_timestamp() <= make_interval(secs => $3::float8)
RETURNING greatest(0, extract(epoch FROM p.next_at - clock_timestamp()) - $2::float8)::float8 AS wait;
