-- Waiting rides on alert_outbox_due; dead ones are few.
SELECT count(*) FILTER (WHERE status = 1) AS waiting,
       count(*) FILTER (WHERE status = 1 AND next_attempt_at <= now()) AS due,
       count(*) FILTER (WHERE status = 3) AS dead,
       extract(epoch FROM now() - min(next_attempt_at) FILTER (WHERE status = 1 AND next_attempt_at <= now()))::float8
           AS oldest_due_sec
  FROM alert_outbox
 WHERE status IN (1, 3)
