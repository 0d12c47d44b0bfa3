SELECT alert_raise($1, $2, $3::jsonb, $4, make_interval(secs => $5))
