-- See quota_reserve: the meter's advisory lock, for this statement's transaction alone.
SELECT verdict, meter_id, tokens, seconds, reason, code, detail
  FROM quota_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::float8::numeric(12, 6), $11::float8::numeric,
                     $12, $13, $14, $15, $16, make_interval(secs => $17), make_interval(secs => $18), make_interval(secs => $19))
