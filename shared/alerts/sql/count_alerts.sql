-- Waiting rides on alert_outbox_due, refused ones on alert_outbox_refused: neither grows with what was sent.
SELECT w.waiting, w.due, w.oldest_due_sec, (SELECT count(*) FROM alert_outbox WHERE status = 3) AS dead
  FROM (SELECT count(*) AS waiting, count(*) FILTER (WHERE next_attempt_at <= now()) AS due,
               extract(epoch FROM now() - min(next_attempt_at) FILTER (WHERE next_attempt_at <= now()))::float8 AS oldest_due_sec
          FROM alert_outbox WHERE status = 1) w
