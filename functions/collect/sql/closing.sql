-- Why and for how many seconds a vendor is closed; no row when it is not. Rides the primary key; takes no lock.
SELECT closed_code, extract(epoch FROM closed_until - clock_timestamp())::float8 AS seconds
  FROM channel_pace
 WHERE channel = $1 AND closed_until > clock_timestamp();
