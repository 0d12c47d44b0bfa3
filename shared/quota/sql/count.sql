-- See quota_count: a slot that others write to, so apart from the settlement and not flushed.
SELECT quota_count($1, $2, $3, $4, $5, make_interval(secs => $6))
