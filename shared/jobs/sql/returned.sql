-- A watcher that was away for over five minutes, and had been there before, watches from now on: what happened meanwhile (a machine
-- that slept, a database that was down) is not the fault of what it watches.
UPDATE beats SET since = now()
 WHERE name = $1 AND seen_at > '-infinity' AND seen_at < now() - interval '5 minutes'
