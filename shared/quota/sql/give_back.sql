-- See quota_give_back.
SELECT quota_give_back($1, make_interval(secs => $2))
