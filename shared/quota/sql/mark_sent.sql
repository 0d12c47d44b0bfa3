-- See quota_send: the reservation's row, then the slot of this moment.
SELECT quota_send($1, make_interval(secs => $2))
