-- See alert_raise in the migrations.
SELECT alert_raise($1, $2, $3::text::jsonb, $4, make_interval(secs => $5))
