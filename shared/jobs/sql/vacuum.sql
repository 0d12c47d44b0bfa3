-- What keeps vacuum from its work, and how much of it is left. An open transaction of anybody's in this database counts, prepared ones
-- too: no row that died since it began can be removed, and every claim walks past them.
SELECT greatest(
           (SELECT max(extract(epoch FROM now() - xact_start)) FROM pg_stat_activity
             WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()),
           (SELECT max(extract(epoch FROM now() - prepared)) FROM pg_prepared_xacts WHERE database = current_database()),
           0)::float8 AS oldest_transaction_sec,
       coalesce((SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'jobs'::regclass), 0) AS dead_rows,
       coalesce((SELECT n_live_tup FROM pg_stat_user_tables WHERE relid = 'jobs'::regclass), 0) AS live_rows
