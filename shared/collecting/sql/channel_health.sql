-- How each channel went for the places asked in the last $1 seconds, a place by its latest answer, and which are closed.
-- Rides on channel_outcomes_by_time: the cost is the window's, not the history's.
WITH latest AS (
    SELECT DISTINCT ON (channel, place_id) channel, outcome, code
      FROM channel_outcomes
     WHERE asked_at > now() - make_interval(secs => $1::float8)
     ORDER BY channel, place_id, asked_at DESC, outcome_id DESC
), counted AS (
    SELECT channel,
           count(*) FILTER (WHERE outcome = 'ok') AS ok,
           count(*) FILTER (WHERE outcome = 'empty') AS empty,
           count(*) FILTER (WHERE outcome = 'partial') AS partial,
           count(*) FILTER (WHERE outcome = 'failed') AS failed,
           count(*) FILTER (WHERE outcome = 'skipped') AS skipped,
           mode() WITHIN GROUP (ORDER BY code) FILTER (WHERE outcome = 'failed') AS code
      FROM latest
     GROUP BY channel
)
SELECT channel, coalesce(c.ok, 0) AS ok, coalesce(c.empty, 0) AS empty, coalesce(c.partial, 0) AS partial,
       coalesce(c.failed, 0) AS failed, coalesce(c.skipped, 0) AS skipped, c.code, p.closed_until, p.closed_code
  FROM counted c
  FULL JOIN (SELECT * FROM channel_pace WHERE closed_until > now()) p USING (channel)
 ORDER BY channel
