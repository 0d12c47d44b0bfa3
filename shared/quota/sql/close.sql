-- See quota_close.
SELECT quota_close($1, $2, $3, $4, $5, $6, $7, make_interval(secs => $8))
