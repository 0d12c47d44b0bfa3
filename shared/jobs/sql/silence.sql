-- Seconds $1 has been silent while $2 watched; NULL before its first time, when nothing is wrong yet.
SELECT extract(epoch FROM now() - greatest(seen.seen_at, watcher.since))::float8
  FROM beats seen JOIN beats watcher ON watcher.name = $2
 WHERE seen.name = $1 AND seen.seen_at > '-infinity'
