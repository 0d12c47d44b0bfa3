-- Seconds since the claimer last claimed; NULL before its first time, when nothing is wrong yet.
SELECT extract(epoch FROM now() - seen_at)::float8 FROM beats WHERE name = 'claimer' AND seen_at > '-infinity'
