-- Seconds for which $1 has been watching without a break; NULL when there was none yet.
SELECT extract(epoch FROM now() - since)::float8 FROM beats WHERE name = $1 AND since > '-infinity'
