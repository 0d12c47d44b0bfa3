-- See quota_prune.
SELECT unknown, removed
  FROM quota_prune(make_interval(secs => $1), make_interval(secs => $2), make_interval(secs => $3), $4)
