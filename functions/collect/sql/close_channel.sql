-- Closes a vendor for $3 seconds for everybody; a later end that stands already is kept. Commits by itself.
INSERT INTO channel_pace AS p (channel, closed_until, closed_code)
VALUES ($1, clock_timestamp() + make_interval(secs => $3::float8), $2)
ON CONFLICT (channel) DO UPDATE
   SET closed_until = EXCLUDED.closed_until, closed_code = EXCLUDED.closed_code
 WHERE p.closed_until IS NULL OR p.closed_until < EXCLUDED.closed_until;
