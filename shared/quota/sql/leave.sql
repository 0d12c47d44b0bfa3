-- By the primary key; the meter by its names.
DELETE FROM quota_waiters
 WHERE waiter_id = $4
   AND meter_id = (SELECT meter_id FROM quota_meters WHERE provider = $1 AND key_hash = $2 AND model = $3)
