-- Live states exactly. DONE exactly up to 100,000, beyond that what the statistics of jobs_over say.
WITH done AS MATERIALIZED (SELECT count(*) AS n FROM (SELECT 1 FROM jobs WHERE status = 3 LIMIT 100001) d)
SELECT (SELECT count(*) FROM jobs WHERE status = 1) AS pending,
       (SELECT count(*) FROM jobs WHERE status = 2) AS running,
       CASE WHEN done.n > 100000
            THEN greatest(done.n, (SELECT reltuples::bigint FROM pg_class WHERE oid = 'jobs_over'::regclass))
            ELSE done.n END AS done,
       done.n > 100000 AS done_estimated,
       (SELECT count(*) FROM jobs WHERE status = 4) AS dead,
       (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 5 LIMIT 100001) c) AS cancelled
  FROM done
