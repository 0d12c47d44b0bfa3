-- The sum of the migrations, for readers; `make schema` writes it. The migrations are what is applied.

CREATE FUNCTION public.alert_raise(p_kind text, p_title text, p_detail jsonb, p_key text, p_window interval) RETURNS uuid
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_id uuid;
BEGIN
    UPDATE alert_outbox SET open = false, updated_at = now()
     WHERE dedupe_key = p_key AND open AND window_until <= now();
    INSERT INTO alert_outbox AS a (kind, title, detail, dedupe_key, window_until)
    VALUES (p_kind, left(p_title, 300), p_detail, p_key, now() + p_window)
    ON CONFLICT (dedupe_key) WHERE open DO UPDATE
       SET occurrences     = a.occurrences + 1,
           detail          = EXCLUDED.detail,
           -- A row that was posted, or refused, is due (again) when its window ends; one that still waits goes as it was going.
           next_attempt_at = CASE WHEN a.status = 1 THEN a.next_attempt_at ELSE a.window_until END,
           attempts        = CASE WHEN a.status = 1 THEN a.attempts ELSE 0 END,
           status          = 1,
           updated_at      = now()
    RETURNING alert_id INTO v_id;
    RETURN v_id;
END $$;

CREATE FUNCTION public.claimer_wake() RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE beats SET woken_at = now()
     WHERE name = (SELECT b.name FROM beats b
                    WHERE b.name = 'claimer' AND (b.woken_at IS NULL OR b.woken_at < now() - interval '5 seconds')
                      FOR UPDATE SKIP LOCKED);
    RETURN FOUND;
END $$;

CREATE FUNCTION public.job_backlog(p_types smallint[]) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    v_type  smallint;
    v_prio  smallint;
    v_ready timestamptz;
BEGIN
    FOREACH v_type IN ARRAY p_types LOOP
        v_prio := -1;
        LOOP
            SELECT j.priority, j.run_after INTO v_prio, v_ready FROM jobs j
             WHERE j.status = 1 AND j.waiting_on = 0 AND j.job_type = v_type AND j.priority > v_prio
             ORDER BY j.priority, j.run_after LIMIT 1;
            EXIT WHEN NOT FOUND;
            IF v_ready <= now() THEN
                RETURN true;
            END IF;
        END LOOP;
    END LOOP;
    RETURN false;
END $$;

CREATE FUNCTION public.job_backoff(p_attempts integer, p_jitter double precision) RETURNS interval
    LANGUAGE sql
    AS $$
    SELECT make_interval(secs => least(600, 5 * power(2, least(p_attempts, 20) - 1)) * (1 + p_jitter * random()))
$$;

CREATE FUNCTION public.job_bury(p_job uuid, p_error text, p_window interval) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_job   jobs;
    v_ready integer;
BEGIN
    PERFORM job_lock_downstream(ARRAY[p_job]);   -- before its key comes free, as in job_complete
    UPDATE jobs
       SET status = 4, worker_id = NULL, lease_until = NULL, cancel_requested_at = NULL, last_error = left(p_error, 2000),
           finished_at = now(), updated_at = now()
     WHERE job_id = p_job RETURNING * INTO v_job;
    v_ready := job_settle(ARRAY[p_job]);
    PERFORM alert_raise(
        'job_dead', job_type_name(v_job.job_type) || ' DEAD',
        jsonb_build_object('job_id', v_job.job_id, 'job_type', job_type_name(v_job.job_type), 'place_id', v_job.place_id,
                           'region_code', left(v_job.payload ->> 'region_code', 100), 'attempts', v_job.attempts,
                           'error', v_job.last_error, 'created_at', v_job.created_at, 'died_at', v_job.finished_at),
        job_dead_key(v_job), p_window);
    RETURN v_ready;
END $$;

CREATE FUNCTION public.job_cancel(p_jobs uuid[]) RETURNS TABLE(job_id uuid, status smallint)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
    v_dropped uuid[];
BEGIN
    PERFORM 1 FROM jobs j
      WHERE j.job_id = ANY (p_jobs || ARRAY(
                WITH RECURSIVE down AS (
                    SELECT d.job_id FROM job_dependencies d WHERE d.depends_on = ANY (p_jobs) AND d.settled_at IS NULL
                    UNION
                    SELECT d.job_id FROM down JOIN job_dependencies d ON d.depends_on = down.job_id AND d.settled_at IS NULL)
                SELECT down.job_id FROM down))
      ORDER BY j.waiting_on > 0, j.job_id FOR UPDATE;
    WITH dropped AS (
        UPDATE jobs u SET status = 5, finished_at = now(), updated_at = now()
         WHERE u.job_id = ANY (p_jobs) AND u.status = 1 RETURNING u.job_id)
    SELECT array_agg(d.job_id) INTO v_dropped FROM dropped d;
    UPDATE jobs u SET cancel_requested_at = coalesce(u.cancel_requested_at, now()), updated_at = now()
     WHERE u.job_id = ANY (p_jobs) AND u.status = 2;
    PERFORM job_settle(coalesce(v_dropped, '{}'));
    RETURN QUERY SELECT j.job_id, j.status FROM jobs j WHERE j.job_id = ANY (p_jobs);
END $$;

CREATE FUNCTION public.job_cancelled(p_job uuid, p_worker uuid, p_attempt integer) RETURNS smallint
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
BEGIN
    IF job_hold(p_job, p_worker, p_attempt) IS NULL THEN
        RETURN NULL;
    END IF;
    IF (SELECT cancel_requested_at IS NULL FROM jobs WHERE job_id = p_job) THEN
        RETURN NULL;
    END IF;
    PERFORM job_note_attempt(p_job, 'cancelled', NULL);
    PERFORM job_drop(p_job);
    RETURN 5;
END $$;

CREATE FUNCTION public.job_claim(p_limit integer, p_worker uuid, p_lease interval, p_wait boolean DEFAULT true) RETURNS TABLE(job_id uuid, job_type smallint, attempt integer)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    v_left      integer := p_limit;
    v_now       timestamptz;
    v_types     smallint[] := '{}';   -- types that may still give
    v_served    smallint[] := '{}';   -- up to which priority each has been served
    v_heads     smallint[] := '{}';   -- the next priority at which each has a job that is due
    v_rooms     integer[]  := '{}';   -- how many more each may have in flight
    v_free      smallint[];           -- without waiting: the limited types whose rows nobody holds
    v_next_type integer := -32769;    -- below every smallint: a row put in by hand may have any type
    v_type      smallint;
    v_paused    boolean;
    v_max       integer;
    v_prio      smallint;
    v_lowest    smallint;
    v_ready     timestamptz;
    v_share     integer;
    v_asked     integer;
    v_got       integer;
    v_rows      tid[];                -- where the locked rows stand, which nobody can move
    v_progress  boolean;
    i           integer;
BEGIN
    -- The flush of this commit may be spared: the start's commit flushes it, and a claim lost in a crash was never started.
    PERFORM set_config('synchronous_commit', 'off', true);
    IF p_wait THEN
        PERFORM set_config('lock_timeout', '2s', true);
        PERFORM 1 FROM job_type_settings s WHERE s.max_in_flight IS NOT NULL ORDER BY s.job_type FOR UPDATE;
    ELSE
        v_free := ARRAY(SELECT s.job_type FROM job_type_settings s WHERE s.max_in_flight IS NOT NULL ORDER BY s.job_type
                           FOR UPDATE SKIP LOCKED);
    END IF;
    v_now := clock_timestamp();

    -- The types that have something pending, each found by one step along the index.
    LOOP
        SELECT j.job_type INTO v_type FROM jobs j
         WHERE j.status = 1 AND j.waiting_on = 0 AND j.job_type > v_next_type ORDER BY j.job_type LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_next_type := v_type;
        SELECT s.paused, s.max_in_flight INTO v_paused, v_max FROM job_type_settings s WHERE s.job_type = v_type;
        CONTINUE WHEN v_paused OR (v_max IS NOT NULL AND NOT p_wait AND v_type <> ALL (v_free));
        IF v_max IS NOT NULL THEN
            SELECT v_max - count(*) INTO v_max FROM (
                SELECT 1 FROM jobs r WHERE r.status = 2 AND r.job_type = v_type LIMIT v_max) running;
        END IF;
        CONTINUE WHEN v_max <= 0;
        v_types := v_types || v_type;
        v_served := v_served || (-1)::smallint;
        v_heads := v_heads || (-1)::smallint;
        v_rooms := v_rooms || coalesce(v_max, p_limit);
    END LOOP;
    -- Where there is less to share than there are types, another comes first with every claim.
    i := floor(random() * cardinality(v_types));
    v_types := v_types[i + 1:] || v_types[:i];
    v_rooms := v_rooms[i + 1:] || v_rooms[:i];

    WHILE v_left > 0 LOOP
        -- The lowest priority at which any type has a job that is due; a type without one leaves.
        v_lowest := NULL;
        FOR i IN REVERSE cardinality(v_types)..1 LOOP
            v_prio := v_served[i];
            WHILE v_prio IS NOT NULL AND v_rooms[i] > 0 LOOP
                -- Within a priority the first row became ready first: if it is not due, none is.
                SELECT j.priority, j.run_after INTO v_prio, v_ready FROM jobs j
                 WHERE j.status = 1 AND j.waiting_on = 0 AND j.job_type = v_types[i] AND j.priority > v_prio
                 ORDER BY j.priority, j.run_after LIMIT 1;
                EXIT WHEN v_ready <= v_now;
            END LOOP;
            IF v_prio IS NULL OR v_rooms[i] <= 0 THEN
                v_types := v_types[:i - 1] || v_types[i + 1:];
                v_served := v_served[:i - 1] || v_served[i + 1:];
                v_heads := v_heads[:i - 1] || v_heads[i + 1:];
                v_rooms := v_rooms[:i - 1] || v_rooms[i + 1:];
            ELSE
                v_heads[i] := v_prio;
                v_lowest := least(v_lowest, v_prio);
            END IF;
        END LOOP;
        EXIT WHEN v_lowest IS NULL;

        -- Serve it in turns: equal shares of what is left, again and again, until all is taken or every type is dry here.
        LOOP
            v_progress := false;
            v_share := v_left / greatest(1, (SELECT count(*)::integer FROM generate_subscripts(v_types, 1) n
                                              WHERE v_heads[n] = v_lowest AND v_rooms[n] > 0));
            FOR i IN 1..cardinality(v_types) LOOP
                v_asked := least(greatest(v_share, 1), v_rooms[i], v_left);
                CONTINUE WHEN v_heads[i] <> v_lowest OR v_asked <= 0;
                v_rows := ARRAY(
                    SELECT j.ctid FROM jobs j
                     WHERE j.status = 1 AND j.waiting_on = 0 AND j.job_type = v_types[i] AND j.priority = v_lowest
                       AND j.run_after <= v_now
                     ORDER BY j.run_after LIMIT v_asked
                     FOR UPDATE SKIP LOCKED);
                RETURN QUERY
                    WITH taken AS (
                    UPDATE jobs u
                       SET status = 2, worker_id = p_worker, attempts = u.attempts + 1, lease_until = v_now + p_lease,
                           claimed_at = v_now, run_started_at = NULL, invocation_id = NULL, updated_at = v_now
                     WHERE u.ctid = ANY (v_rows)
                    RETURNING u.job_id, u.job_type, u.attempts, u.run_after)
                    SELECT t.job_id, t.job_type, t.attempts FROM taken t ORDER BY t.run_after;
                GET DIAGNOSTICS v_got = ROW_COUNT;
                v_served[i] := v_lowest;
                v_left := v_left - v_got;
                v_rooms[i] := v_rooms[i] - v_got;
                v_progress := v_progress OR v_got = v_asked;
            END LOOP;
            EXIT WHEN NOT v_progress OR v_left <= 0;
        END LOOP;
    END LOOP;
END $$;

CREATE FUNCTION public.job_complete(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_results jsonb[]) RETURNS TABLE(job_id uuid, work_ready boolean)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    v_mine    uuid[];
    v_rows    tid[];
    v_results jsonb[];
    v_types   smallint[];
    v_waits   boolean;
    v_ready   boolean;
BEGIN
    SELECT array_agg(held.job_id), array_agg(held.ctid), array_agg(r.result) INTO v_mine, v_rows, v_results
      FROM (SELECT * FROM unnest(p_jobs, p_workers, p_attempts, p_results) n(job_id, worker_id, attempt, result) ORDER BY 1) r
           CROSS JOIN LATERAL (
               SELECT j.job_id, j.ctid FROM jobs j
                WHERE j.job_id = r.job_id AND j.worker_id = r.worker_id AND j.attempts = r.attempt AND j.status::integer = 2
                  FOR UPDATE) held;
    IF v_mine IS NULL THEN
        RETURN;
    END IF;
    -- No edge onto them can come any more. What waits is held before their keys come free: who wants one may hold what waits.
    v_waits := EXISTS (SELECT 1 FROM job_dependencies d WHERE d.depends_on = ANY (v_mine) AND d.settled_at IS NULL);
    IF v_waits THEN
        PERFORM job_lock_downstream(v_mine);
    END IF;
    WITH done AS (
        UPDATE jobs j
           SET status = 3, result = r.result, worker_id = NULL, lease_until = NULL, cancel_requested_at = NULL, last_error = NULL,
               finished_at = now(), updated_at = now()
          FROM unnest(v_rows, v_results) r(at, result)
         WHERE j.ctid = r.at
        RETURNING j.job_type)
    SELECT array_agg(DISTINCT d.job_type) INTO v_types FROM done d;
    v_ready := v_waits AND job_settle(v_mine) > 0;
    v_ready := v_ready OR job_backlog(v_types);
    RETURN QUERY SELECT d, v_ready FROM unnest(v_mine) d;
END $$;

CREATE FUNCTION public.job_counts() RETURNS TABLE(pending bigint, running bigint, done bigint, done_estimated boolean, dead bigint, cancelled bigint)
    LANGUAGE sql STABLE
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
    WITH over AS MATERIALIZED (
        SELECT (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 3 ORDER BY finished_at LIMIT 100001) d) AS done,
               (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 5 ORDER BY finished_at LIMIT 100001) c) AS cancelled)
    SELECT (SELECT count(*) FROM jobs WHERE status = 1 AND waiting_on = 0)
           + (SELECT count(*) FROM jobs WHERE status = 1 AND waiting_on > 0),
           (SELECT count(*) FROM jobs WHERE status = 2),
           CASE WHEN over.done > 100000
                THEN greatest(over.done, (SELECT reltuples::bigint FROM pg_class WHERE oid = 'jobs_over'::regclass) - over.cancelled)
                ELSE over.done END,
           over.done > 100000,
           (SELECT count(*) FROM jobs WHERE status = 4),
           over.cancelled
      FROM over
$$;

CREATE TABLE public.jobs (
    job_id uuid DEFAULT gen_random_uuid() NOT NULL,
    place_id uuid,
    graph_id uuid,
    ends_graph boolean DEFAULT false NOT NULL,
    job_type smallint NOT NULL,
    status smallint DEFAULT 1 NOT NULL,
    priority smallint DEFAULT 100 NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    result jsonb,
    progress jsonb,
    dedupe_key text,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 3 NOT NULL,
    worker_id uuid,
    lease_until timestamp with time zone,
    run_after timestamp with time zone DEFAULT now() NOT NULL,
    claimed_at timestamp with time zone,
    run_started_at timestamp with time zone,
    invocation_id text,
    finished_at timestamp with time zone,
    cancel_requested_at timestamp with time zone,
    first_snoozed_at timestamp with time zone,
    snoozes integer DEFAULT 0 NOT NULL,
    releases integer DEFAULT 0 NOT NULL,
    unstarted integer DEFAULT 0 NOT NULL,
    acknowledged_at timestamp with time zone,
    last_error text,
    waiting_on integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT jobs_attempts_bounded CHECK (((attempts >= 0) AND ((max_attempts >= 1) AND (max_attempts <= 100)) AND (attempts <= max_attempts) AND ((status <> 1) OR (attempts < max_attempts)))),
    CONSTRAINT jobs_dead_says_why CHECK (((status <> 4) OR (last_error IS NOT NULL))),
    CONSTRAINT jobs_done_has_result CHECK (((status <> 3) OR (result IS NOT NULL))),
    CONSTRAINT jobs_error_bounded CHECK ((length(last_error) <= 2000)),
    CONSTRAINT jobs_finished_is_over CHECK (((status < 3) OR ((worker_id IS NULL) AND (lease_until IS NULL) AND (finished_at IS NOT NULL)))),
    CONSTRAINT jobs_graph_has_place CHECK (((NOT ends_graph) OR ((graph_id IS NOT NULL) AND (place_id IS NOT NULL)))),
    CONSTRAINT jobs_id_is_not_nil CHECK ((job_id <> '00000000-0000-0000-0000-000000000000'::uuid)),
    CONSTRAINT jobs_pending_is_free CHECK (((status <> 1) OR ((worker_id IS NULL) AND (lease_until IS NULL) AND (finished_at IS NULL) AND (cancel_requested_at IS NULL) AND (run_started_at IS NULL)))),
    CONSTRAINT jobs_priority_range CHECK (((priority >= 0) AND (priority <= 1000))),
    CONSTRAINT jobs_running_is_held CHECK (((status <> 2) OR ((worker_id IS NOT NULL) AND (lease_until IS NOT NULL) AND (claimed_at IS NOT NULL) AND (finished_at IS NULL) AND (attempts > 0) AND (waiting_on = 0)))),
    CONSTRAINT jobs_status_known CHECK (((status >= 1) AND (status <= 5))),
    CONSTRAINT jobs_times_are_days CHECK (((LEAST(run_after, created_at, updated_at, claimed_at, run_started_at, lease_until, finished_at, first_snoozed_at, cancel_requested_at, acknowledged_at) >= '2000-01-01 00:00:00+00'::timestamp with time zone) AND (GREATEST(run_after, created_at, updated_at, claimed_at, run_started_at, lease_until, finished_at, first_snoozed_at, cancel_requested_at, acknowledged_at) <= '9000-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT jobs_waiting_not_below CHECK ((waiting_on >= 0))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02');

COMMENT ON COLUMN public.jobs.ends_graph IS 'The one job of a graph that waits, directly or not, on all the others: the graph is active while it is';

COMMENT ON COLUMN public.jobs.status IS '1 PENDING, 2 RUNNING, 3 DONE, 4 DEAD, 5 CANCELLED; active means 1 or 2';

CREATE FUNCTION public.job_dead_key(p_job public.jobs) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT 'job_dead:' || job_type_name(p_job.job_type) || ':'
        || coalesce(p_job.place_id::text, left(p_job.payload ->> 'region_code', 100), p_job.job_id::text)
$$;

CREATE FUNCTION public.job_drop(p_job uuid) RETURNS integer
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM job_lock_downstream(ARRAY[p_job]);
    UPDATE jobs
       SET status = 5, worker_id = NULL, lease_until = NULL, finished_at = now(), updated_at = now()
     WHERE job_id = p_job;
    RETURN job_settle(ARRAY[p_job]);
END $$;

CREATE FUNCTION public.job_fail(p_job uuid, p_worker uuid, p_attempt integer, p_error text, p_permanent boolean, p_jitter double precision, p_window interval) RETURNS smallint
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
BEGIN
    IF job_hold(p_job, p_worker, p_attempt) IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN job_fail_held(p_job, 'failed', p_error, p_permanent, p_jitter, p_window);
END $$;

CREATE FUNCTION public.job_fail_held(p_job uuid, p_outcome text, p_error text, p_permanent boolean, p_jitter double precision, p_window interval) RETURNS smallint
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_job jobs;
BEGIN
    SELECT * INTO v_job FROM jobs WHERE job_id = p_job;
    IF v_job.cancel_requested_at IS NOT NULL THEN
        PERFORM job_note_attempt(p_job, 'cancelled', p_error);
        PERFORM job_drop(p_job);
        RETURN 5;
    END IF;
    IF p_permanent OR v_job.attempts >= v_job.max_attempts THEN
        PERFORM job_note_attempt(p_job, CASE WHEN p_outcome = 'failed' THEN 'dead' ELSE p_outcome END, p_error);
        PERFORM job_bury(p_job, p_error, p_window);
        RETURN 4;
    END IF;
    PERFORM job_note_attempt(p_job, p_outcome, p_error);
    UPDATE jobs
       SET status = 1, worker_id = NULL, lease_until = NULL, run_started_at = NULL, last_error = left(p_error, 2000),
           run_after = now() + job_backoff(v_job.attempts, p_jitter), updated_at = now()
     WHERE job_id = p_job;
    RETURN 1;
END $$;

CREATE FUNCTION public.job_give_back(p_job uuid, p_delay interval) RETURNS smallint
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_status smallint;
BEGIN
    IF (SELECT cancel_requested_at IS NOT NULL FROM jobs WHERE job_id = p_job) THEN
        PERFORM job_drop(p_job);
        RETURN 5;
    END IF;
    UPDATE jobs
       SET status = 1, worker_id = NULL, lease_until = NULL, run_started_at = NULL, attempts = attempts - 1,
           run_after = now() + p_delay, updated_at = now()
     WHERE job_id = p_job RETURNING status INTO v_status;
    RETURN v_status;
END $$;

CREATE FUNCTION public.job_hold(p_job uuid, p_worker uuid, p_attempt integer) RETURNS uuid
    LANGUAGE sql
    AS $$
    SELECT job_id FROM jobs
     WHERE job_id = p_job AND worker_id = p_worker AND attempts = p_attempt AND status::integer = 2
       FOR UPDATE
$$;

CREATE FUNCTION public.job_lock_downstream(p_jobs uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM jobs
     WHERE job_id = ANY (ARRAY(
               WITH RECURSIVE down AS (
                   SELECT d.job_id FROM job_dependencies d WHERE d.depends_on = ANY (p_jobs) AND d.settled_at IS NULL
                   UNION
                   SELECT d.job_id FROM down JOIN job_dependencies d ON d.depends_on = down.job_id AND d.settled_at IS NULL)
               SELECT job_id FROM down))
     ORDER BY waiting_on > 0, job_id FOR UPDATE;
END $$;

CREATE FUNCTION public.job_note_attempt(p_job uuid, p_outcome text, p_error text) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO job_attempts (job_id, worker_id, attempt, invocation_id, claimed_at, run_started_at, outcome, error)
    SELECT job_id, worker_id, attempts, invocation_id, claimed_at, run_started_at, p_outcome, left(p_error, 2000)
      FROM jobs WHERE job_id = p_job
    ON CONFLICT DO NOTHING
$$;

CREATE FUNCTION public.job_reap(p_after uuid, p_limit integer, p_jitter double precision, p_window interval) RETURNS TABLE(job_id uuid, job_type smallint, status smallint, last_error text, problem text)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET lock_timeout TO '1s'
    AS $$
#variable_conflict use_column
DECLARE
    v_job   jobs;
    v_error text;
BEGIN
    FOR v_job IN
        SELECT * FROM jobs j
         WHERE j.status = 2 AND j.lease_until < now() AND j.job_id > p_after
         ORDER BY j.job_id LIMIT p_limit FOR UPDATE SKIP LOCKED
    LOOP
        job_id := v_job.job_id;
        job_type := v_job.job_type;
        problem := NULL;
        v_error := left(coalesce(nullif(v_job.last_error, ''), 'LeaseExpired: its worker fell silent'), 1975)
                   || ' [lease-expired reclaim]';
        IF v_job.last_error LIKE '% [lease-expired reclaim]' THEN
            v_error := v_job.last_error;
        END IF;
        BEGIN
            IF v_job.run_started_at IS NULL AND v_job.unstarted < 5 AND v_job.cancel_requested_at IS NULL THEN
                PERFORM job_note_attempt(v_job.job_id, 'given_back', v_error);
                UPDATE jobs u SET unstarted = u.unstarted + 1, last_error = v_error WHERE u.job_id = v_job.job_id;
                status := job_give_back(v_job.job_id, interval '0');
            ELSE
                status := job_fail_held(v_job.job_id, 'lease_expired', v_error, false, p_jitter, p_window);
            END IF;
        EXCEPTION WHEN OTHERS THEN
            status := v_job.status;
            problem := SQLSTATE || ': ' || left(SQLERRM, 500);
            IF SQLSTATE = '55P03' THEN   -- many may stand behind the one lock: the page must end before its statement's time does
                PERFORM set_config('lock_timeout', '50ms', true);
            END IF;
        END;
        SELECT j.last_error INTO last_error FROM jobs j WHERE j.job_id = v_job.job_id;
        RETURN NEXT;
    END LOOP;
END $$;

CREATE FUNCTION public.job_recount(p_limit integer) RETURNS integer
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    v_ended uuid[];
BEGIN
    SELECT array_agg(DISTINCT x.depends_on) INTO v_ended FROM (
        SELECT d.depends_on
          FROM jobs w JOIN job_dependencies d ON d.job_id = w.job_id AND d.settled_at IS NULL
               JOIN jobs e ON e.job_id = d.depends_on AND e.status >= 3
         WHERE w.status = 1 AND w.waiting_on > 0 AND e.finished_at < now() - interval '1 minute'
         LIMIT p_limit) x;
    PERFORM job_settle(coalesce(v_ended, '{}'));
    UPDATE job_dependencies d SET settled_at = now()
     WHERE d.settled_at IS NULL AND d.job_id = ANY (ARRAY(
               SELECT w.job_id FROM jobs w
                WHERE w.status = 1 AND w.waiting_on > 0
                  AND EXISTS (SELECT 1 FROM job_dependencies o WHERE o.job_id = w.job_id AND o.settled_at IS NULL
                                 AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.job_id = o.depends_on))
                ORDER BY w.job_id LIMIT p_limit FOR UPDATE SKIP LOCKED))
       AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.job_id = d.depends_on);
    WITH lost AS MATERIALIZED (
        SELECT w.job_id, (SELECT count(*) FROM job_dependencies d WHERE d.job_id = w.job_id AND d.settled_at IS NULL) AS waits
          FROM jobs w
         WHERE w.status = 1 AND w.waiting_on > 0 AND w.updated_at < now() - interval '1 minute'
           AND w.waiting_on <> (SELECT count(*) FROM job_dependencies d WHERE d.job_id = w.job_id AND d.settled_at IS NULL)
         ORDER BY w.job_id LIMIT p_limit FOR UPDATE SKIP LOCKED)
    UPDATE jobs j
       SET waiting_on = lost.waits, run_after = CASE WHEN lost.waits = 0 THEN now() ELSE j.run_after END, updated_at = now()
      FROM lost WHERE j.job_id = lost.job_id;
    RETURN coalesce(cardinality(v_ended), 0);
END $$;

CREATE FUNCTION public.job_refs(p_jobs uuid[], p_workers uuid[], p_attempts integer[]) RETURNS TABLE(job_id uuid, worker_id uuid, attempt integer)
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT * FROM unnest(p_jobs, p_workers, p_attempts) r ORDER BY 1
$$;

CREATE FUNCTION public.job_release(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_reason text, p_jitter double precision, p_window interval) RETURNS TABLE(job_id uuid, status smallint)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
    v_job jobs;
BEGIN
    FOR v_job IN
        SELECT * FROM jobs j
         WHERE j.job_id = ANY (p_jobs) AND j.status = 2 AND j.run_started_at IS NULL
           AND (j.job_id, j.worker_id, j.attempts) IN (SELECT * FROM unnest(p_jobs, p_workers, p_attempts))
         ORDER BY j.job_id FOR UPDATE
    LOOP
        UPDATE jobs u SET releases = u.releases + 1, last_error = left(p_reason, 2000) WHERE u.job_id = v_job.job_id;
        job_id := v_job.job_id;
        IF v_job.releases >= 20 THEN
            status := job_fail_held(v_job.job_id, 'given_back', p_reason, false, p_jitter, p_window);
        ELSE
            status := job_give_back(v_job.job_id, make_interval(secs => least(60, 2 * power(2, v_job.releases))));
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

CREATE FUNCTION public.job_renew_lease(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_lease interval, p_wait boolean) RETURNS TABLE(job_id uuid, cancel_requested boolean)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    v_rows tid[];
BEGIN
    -- As in job_start.
    IF p_wait THEN
        v_rows := ARRAY(
            SELECT held.ctid FROM job_refs(p_jobs, p_workers, p_attempts) r CROSS JOIN LATERAL (
                SELECT j.ctid FROM jobs j
                 WHERE j.job_id = r.job_id AND j.worker_id = r.worker_id AND j.attempts = r.attempt AND j.status::integer = 2
                   FOR NO KEY UPDATE) held);
    ELSE
        v_rows := ARRAY(
            SELECT held.ctid FROM job_refs(p_jobs, p_workers, p_attempts) r CROSS JOIN LATERAL (
                SELECT j.ctid FROM jobs j
                 WHERE j.job_id = r.job_id AND j.worker_id = r.worker_id AND j.attempts = r.attempt AND j.status::integer = 2
                   FOR NO KEY UPDATE SKIP LOCKED) held);
    END IF;
    RETURN QUERY
    UPDATE jobs j SET lease_until = now() + p_lease, updated_at = now()
     WHERE j.ctid = ANY (v_rows)
    RETURNING j.job_id, j.cancel_requested_at IS NOT NULL;
END $$;

CREATE FUNCTION public.job_requeue(p_job uuid) RETURNS TABLE(job_id uuid, outcome text, other uuid)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
    v_job   jobs;
    v_todo  uuid[];
    v_one   uuid;
    v_other uuid;
BEGIN
    -- One at a time: a requeue changes what waits, and with it the order in which another would lock the same jobs.
    PERFORM pg_advisory_xact_lock(hashtext('job_requeue'));
    -- The job, everything that died through it, and what those died of: locked before anything is decided.
    PERFORM 1 FROM jobs j
      WHERE j.job_id = ANY (ARRAY(
                WITH RECURSIVE fell AS (
                    SELECT p_job AS job_id
                    UNION
                    SELECT d.job_id FROM fell JOIN job_dependencies d ON d.depends_on = fell.job_id AND d.killed_by IS NOT NULL)
                SELECT fell.job_id FROM fell
                UNION
                SELECT d.depends_on FROM fell JOIN job_dependencies d ON d.job_id = fell.job_id AND d.killed_by IS NOT NULL))
      ORDER BY j.waiting_on > 0, j.job_id FOR UPDATE;
    IF NOT EXISTS (SELECT 1 FROM jobs j WHERE j.job_id = p_job AND j.status = 4) THEN
        RETURN;
    END IF;
    v_todo := ARRAY(
        WITH RECURSIVE fell AS (
            SELECT p_job AS job_id
            UNION
            SELECT d.job_id FROM fell JOIN job_dependencies d ON d.depends_on = fell.job_id AND d.killed_by IS NOT NULL)
        SELECT fell.job_id FROM fell);
    LOOP
        -- One after all that it waited on.
        SELECT t.job_id INTO v_one FROM unnest(v_todo) t(job_id)
         WHERE NOT EXISTS (SELECT 1 FROM job_dependencies d
                            WHERE d.job_id = t.job_id AND d.killed_by IS NOT NULL AND d.depends_on = ANY (v_todo))
         ORDER BY t.job_id LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_todo := array_remove(v_todo, v_one);
        SELECT * INTO v_job FROM jobs j WHERE j.job_id = v_one;
        CONTINUE WHEN v_job.status <> 4;
        -- What else keeps it dead; a cancelled dependency only where nobody asked for this very job.
        SELECT coalesce((SELECT r.job_id FROM jobs r WHERE r.job_id = d.killed_by AND r.status = 4), d.depends_on) INTO v_other
          FROM job_dependencies d JOIN jobs e ON e.job_id = d.depends_on
         WHERE d.job_id = v_one AND d.killed_by IS NOT NULL AND (e.status = 4 OR (e.status = 5 AND v_one <> p_job))
         ORDER BY d.depends_on LIMIT 1;
        IF FOUND THEN
            RETURN QUERY SELECT v_one, 'blocked'::text, v_other;
            EXIT WHEN v_one = p_job;
            CONTINUE;
        END IF;
        BEGIN
            UPDATE job_dependencies d
               SET killed_by = NULL,
                   settled_at = CASE WHEN EXISTS (SELECT 1 FROM jobs e WHERE e.job_id = d.depends_on AND e.status IN (1, 2))
                                     THEN NULL ELSE d.settled_at END
             WHERE d.job_id = v_one AND d.killed_by IS NOT NULL;
            UPDATE jobs u
               SET status = 1, attempts = 0, run_after = now(), last_error = NULL, finished_at = NULL, acknowledged_at = NULL,
                   run_started_at = NULL, result = NULL, progress = NULL, first_snoozed_at = NULL, snoozes = 0, releases = 0,
                   unstarted = 0, updated_at = now(),
                   waiting_on = (SELECT count(*) FROM job_dependencies d WHERE d.job_id = v_one AND d.settled_at IS NULL)
             WHERE u.job_id = v_one;
            DELETE FROM job_attempts a   -- of a job requeued again and again the newest hundred are kept
             WHERE a.job_id = v_one AND a.ended_at < (
                       SELECT k.ended_at FROM job_attempts k WHERE k.job_id = v_one ORDER BY k.ended_at DESC OFFSET 99 LIMIT 1);
            IF v_one = p_job THEN   -- its next death is news: a new window
                UPDATE alert_outbox SET open = false, updated_at = now() WHERE dedupe_key = job_dead_key(v_job) AND open;
            END IF;
            RETURN QUERY SELECT v_one, CASE WHEN v_one = p_job THEN 'requeued' ELSE 'revived' END, NULL::uuid;
        EXCEPTION WHEN unique_violation THEN
            SELECT j.job_id INTO v_other FROM jobs j
             WHERE j.status IN (1, 2) AND j.job_id <> v_one
               AND (j.dedupe_key = v_job.dedupe_key OR (v_job.ends_graph AND j.ends_graph AND j.place_id = v_job.place_id))
             LIMIT 1;
            IF FOUND THEN
                RETURN QUERY SELECT v_one, 'conflict'::text, v_other;
                EXIT WHEN v_one = p_job;
            ELSE   -- it ended in between
                v_todo := v_todo || v_one;
            END IF;
        END;
    END LOOP;
END $$;

CREATE FUNCTION public.job_settle(p_ended uuid[]) RETURNS integer
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    v_level   uuid[] := p_ended;
    v_readied integer := 0;
    v_row     record;
    v_next    uuid[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM job_dependencies WHERE depends_on = ANY (p_ended) AND settled_at IS NULL) THEN
        RETURN 0;
    END IF;
    PERFORM job_lock_downstream(p_ended);
    WHILE cardinality(v_level) > 0 LOOP
        v_next := '{}';
        FOR v_row IN
            WITH edge AS (
                UPDATE job_dependencies d
                   SET settled_at = now(),
                       killed_by = CASE WHEN d.required AND e.status IN (4, 5) THEN coalesce(
                           (SELECT k.killed_by FROM job_dependencies k
                             WHERE k.job_id = e.job_id AND k.killed_by IS NOT NULL ORDER BY k.killed_by LIMIT 1), e.job_id) END
                  FROM jobs e
                 WHERE d.depends_on = ANY (v_level) AND d.settled_at IS NULL AND e.job_id = d.depends_on AND e.status >= 3
                RETURNING d.job_id, d.required, e.status AS ended_as, e.job_id AS dependency, e.job_type, e.last_error)
            SELECT job_id, count(*)::integer AS settled,
                   bool_or(required AND ended_as = 4) AS dies,
                   bool_or(required AND ended_as = 5) AS drops,
                   min(format('%s %s is DEAD: %s', job_type_name(job_type), dependency, last_error))
                       FILTER (WHERE required AND ended_as = 4) AS reason
              FROM edge GROUP BY job_id ORDER BY job_id
        LOOP
            UPDATE jobs
               SET waiting_on  = waiting_on - v_row.settled,
                   status      = CASE WHEN status <> 1 THEN status WHEN v_row.dies THEN 4 WHEN v_row.drops THEN 5 ELSE status END,
                   finished_at = CASE WHEN status = 1 AND (v_row.dies OR v_row.drops) THEN now() ELSE finished_at END,
                   last_error  = CASE WHEN status = 1 AND v_row.dies THEN left('DependencyDead: ' || v_row.reason, 2000)
                                      ELSE last_error END,
                   run_after   = CASE WHEN status = 1 AND waiting_on = v_row.settled THEN now() ELSE run_after END,
                   updated_at  = now()
             WHERE job_id = v_row.job_id;
            IF v_row.dies OR v_row.drops THEN
                v_next := v_next || v_row.job_id;
            ELSIF EXISTS (SELECT 1 FROM jobs WHERE job_id = v_row.job_id AND status = 1 AND waiting_on = 0) THEN
                v_readied := v_readied + 1;
            END IF;
        END LOOP;
        v_level := v_next;
    END LOOP;
    RETURN v_readied;
END $$;

CREATE FUNCTION public.job_snooze(p_job uuid, p_worker uuid, p_attempt integer, p_delay interval, p_reason text, p_jitter double precision, p_window interval) RETURNS smallint
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
    v_end timestamptz;
BEGIN
    IF job_hold(p_job, p_worker, p_attempt) IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT coalesce(first_snoozed_at, now()) + interval '72 hours' INTO v_end FROM jobs WHERE job_id = p_job;
    p_delay := greatest(interval '0', least(p_delay, v_end - now()));
    UPDATE jobs
       SET first_snoozed_at = coalesce(first_snoozed_at, now()), snoozes = snoozes + 1,
           progress = jsonb_build_object('waits_for', p_reason, 'until', now() + p_delay)
     WHERE job_id = p_job;
    IF v_end <= now() THEN
        RETURN job_fail_held(p_job, 'failed', left('SnoozedTooLong: 72 hours are over: ' || p_reason, 2000), false, p_jitter, p_window);
    END IF;
    RETURN job_give_back(p_job, p_delay);
END $$;

CREATE FUNCTION public.job_start(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_invocation text, p_lease interval) RETURNS SETOF public.jobs
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_rows tid[];
BEGIN
    -- All are locked before any is changed: who enqueues a key waits for a changed row that has it, and may hold the next of ours.
    v_rows := ARRAY(
        SELECT held.ctid FROM job_refs(p_jobs, p_workers, p_attempts) r CROSS JOIN LATERAL (
            SELECT j.ctid FROM jobs j
             WHERE j.job_id = r.job_id AND j.worker_id = r.worker_id AND j.attempts = r.attempt AND j.status::integer = 2
               AND j.run_started_at IS NULL
               FOR NO KEY UPDATE) held);
    RETURN QUERY
    UPDATE jobs j
       SET run_started_at = now(), invocation_id = p_invocation, lease_until = now() + p_lease, releases = 0, updated_at = now()
     WHERE j.ctid = ANY (v_rows)
    RETURNING j.*;
END $$;

CREATE FUNCTION public.job_type_name(p_type smallint) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT coalesce((SELECT name FROM job_type_settings WHERE job_type = p_type), p_type::text)
$$;

CREATE FUNCTION public.quota_batch_share(p_limit bigint, p_share double precision) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE WHEN p_limit IS NOT NULL THEN greatest(1, p_limit - ceil(p_limit * p_share::numeric)::bigint) END
$$;

CREATE FUNCTION public.quota_charge(p_at timestamp with time zone, p_usd numeric, p_flushed boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF p_usd <> 0 THEN   -- nor NULL
        INSERT INTO quota_months AS m (month, stripe, usd)
        VALUES (date_trunc('month', p_at AT TIME ZONE 'UTC')::date, floor(random() * 8) + CASE WHEN p_flushed THEN 8 ELSE 0 END, p_usd)
        ON CONFLICT (month, stripe) DO UPDATE SET usd = m.usd + EXCLUDED.usd;
    END IF;
END $$;

CREATE FUNCTION public.quota_close(p_provider text, p_key text, p_model text, p_zone text, p_seconds double precision, p_code text, p_detail text, p_margin interval) RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$
    INSERT INTO quota_closures AS c (provider, key_hash, model, until, code, detail)
    VALUES (p_provider, p_key, p_model,
            CASE WHEN p_seconds IS NOT NULL THEN now() + make_interval(secs => p_seconds)
                 ELSE greatest((((now() - interval '2 minutes') AT TIME ZONE p_zone)::date + 1)::timestamp AT TIME ZONE p_zone + p_margin,
                               now() + interval '1 minute') END,
            p_code, p_detail)
    ON CONFLICT (provider, key_hash, model) DO UPDATE
       SET code = CASE WHEN EXCLUDED.until > c.until THEN EXCLUDED.code ELSE c.code END,
           detail = CASE WHEN EXCLUDED.until > c.until THEN EXCLUDED.detail ELSE c.detail END,
           closed_at = CASE WHEN c.until <= now() THEN now() ELSE c.closed_at END,
           until = greatest(c.until, EXCLUDED.until)
    RETURNING until
$$;

CREATE FUNCTION public.quota_count(p_meter integer, p_at timestamp with time zone, p_interactive boolean, p_requests integer, p_tokens bigint, p_window interval) RETURNS void
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO quota_slots AS s (meter_id, slot, requests, batch_requests, tokens, batch_tokens)
    VALUES (p_meter, quota_slot(p_at, p_window), p_requests, CASE WHEN p_interactive THEN 0 ELSE p_requests END,
            p_tokens, CASE WHEN p_interactive THEN 0 ELSE p_tokens END)
    ON CONFLICT (meter_id, slot) DO UPDATE
       SET requests = s.requests + EXCLUDED.requests, batch_requests = s.batch_requests + EXCLUDED.batch_requests,
           tokens = s.tokens + EXCLUDED.tokens, batch_tokens = s.batch_tokens + EXCLUDED.batch_tokens;
END $$;

CREATE FUNCTION public.quota_days_of(p_slot timestamp with time zone, p_zone text, p_window interval, p_margin interval) RETURNS SETOF date
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT DISTINCT (at AT TIME ZONE p_zone)::date
      FROM (VALUES (p_slot - p_margin), (p_slot + p_window / 60 + p_margin)) v (at)
$$;

CREATE FUNCTION public.quota_fold(p_meter integer, p_zone text, p_until timestamp with time zone, p_window interval, p_margin interval) RETURNS void
    LANGUAGE sql
    AS $$
    WITH gone AS (DELETE FROM quota_slots WHERE meter_id = p_meter AND slot <= p_until RETURNING *)
    INSERT INTO quota_days AS d (meter_id, day, requests, batch_requests, tokens, batch_tokens)
    SELECT p_meter, day, sum(requests), sum(batch_requests), sum(tokens), sum(batch_tokens)
      FROM gone, quota_days_of(slot, p_zone, p_window, p_margin) day GROUP BY day ORDER BY day
    ON CONFLICT (meter_id, day) DO UPDATE
       SET requests = d.requests + EXCLUDED.requests, batch_requests = d.batch_requests + EXCLUDED.batch_requests,
           tokens = d.tokens + EXCLUDED.tokens, batch_tokens = d.batch_tokens + EXCLUDED.batch_tokens
$$;

CREATE FUNCTION public.quota_give_back(p_reservation uuid, p_window interval) RETURNS boolean
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v quota_reservations;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    DELETE FROM quota_reservations WHERE reservation_id = p_reservation AND settled_at IS NULL RETURNING * INTO v;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF v.sent_at IS NOT NULL THEN
        PERFORM quota_count(v.meter_id, v.sent_at, v.interactive, -1, -v.tokens, p_window), quota_charge(v.sent_at, -v.cost_usd, false);
    END IF;
    RETURN true;
END $$;

CREATE FUNCTION public.quota_limits_of(p_provider text, p_model text, p_requests_minute integer, p_tokens_minute bigint, p_requests_day integer, p_tokens_day bigint, p_share double precision) RETURNS TABLE(requests_minute bigint, tokens_minute bigint, requests_day bigint, tokens_day bigint, reserved_share double precision, batch_requests_minute bigint, batch_tokens_minute bigint, batch_requests_day bigint, batch_tokens_day bigint)
    LANGUAGE sql STABLE
    AS $$
    SELECT l.*, quota_batch_share(l.requests_minute, l.reserved_share), quota_batch_share(l.tokens_minute, l.reserved_share),
           quota_batch_share(l.requests_day, l.reserved_share), quota_batch_share(l.tokens_day, l.reserved_share)
      FROM (SELECT coalesce(m.requests_minute, w.requests_minute, p_requests_minute)::bigint AS requests_minute,
                   coalesce(m.tokens_minute, w.tokens_minute, p_tokens_minute) AS tokens_minute,
                   coalesce(m.requests_day, w.requests_day, p_requests_day)::bigint AS requests_day,
                   coalesce(m.tokens_day, w.tokens_day, p_tokens_day) AS tokens_day,
                   coalesce(m.reserved_share, w.reserved_share, p_share, 0) AS reserved_share
              FROM (VALUES (1)) one
              LEFT JOIN quota_limits m ON m.provider = p_provider AND m.model = p_model
              LEFT JOIN quota_limits w ON w.provider = p_provider AND w.model = '*') l
$$;

CREATE FUNCTION public.quota_prune(p_longest interval, p_window interval, p_margin interval, p_batch integer) RETURNS TABLE(unknown integer, removed integer)
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
    v         record;
    v_unknown integer := 0;
    v_count   integer;
    v_removed integer := 0;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR v IN SELECT * FROM quota_reservations r WHERE r.settled_at IS NULL AND r.sent_at < now() - p_longest
              LIMIT p_batch FOR UPDATE SKIP LOCKED LOOP
        PERFORM quota_settle(v.reservation_id, v.meter_id, v.interactive, v.tokens, v.cost_usd, v.job_id, v.place_id,
                             'unknown', NULL, NULL, NULL, NULL, NULL);
        v_unknown := v_unknown + 1;
    END LOOP;
    DELETE FROM quota_reservations r WHERE r.ctid = ANY (ARRAY(
        SELECT o.ctid FROM quota_reservations o
         WHERE o.settled_at < now() - interval '2 minutes'   -- until then a settlement may be sent again
            OR (o.sent_at IS NULL AND o.lease_until < now() - interval '2 minutes')
         LIMIT p_batch FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS v_removed = ROW_COUNT;
    DELETE FROM quota_waiters w WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid FROM quota_waiters o WHERE o.due_at < now() - interval '1 hour' LIMIT p_batch FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS v_count = ROW_COUNT;
    v_removed := v_removed + v_count;
    PERFORM quota_fold(m.meter_id, m.day_zone, now() - p_window - p_margin - p_window / 60, p_window, p_margin) FROM quota_meters m;
    DELETE FROM quota_closures WHERE until < now() - interval '1 day';
    DELETE FROM quota_days WHERE day < now() - interval '40 days';
    RETURN QUERY SELECT v_unknown, v_removed;
END $$;

CREATE FUNCTION public.quota_reserve(p_provider text, p_key text, p_model text, p_zone text, p_reservation uuid, p_job uuid, p_place uuid, p_interactive boolean, p_tokens bigint, p_cost numeric, p_budget numeric, p_requests_minute integer, p_tokens_minute bigint, p_requests_day integer, p_tokens_day bigint, p_share double precision, p_window interval, p_margin interval, p_lease interval, OUT verdict text, OUT meter_id integer, OUT tokens bigint, OUT seconds double precision, OUT reason text, OUT code text, OUT detail text) RETURNS record
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET lock_timeout TO '1s'
    AS $$
#variable_conflict use_column
DECLARE
    v_waiter uuid := coalesce(p_job, p_reservation);
    v_width  interval := p_window / 60;
    v_counts interval := p_window + p_margin + v_width;   -- for how long a slot counts from its beginning
    v_meter  record;              -- with its limits
    v_need   bigint;
    v_locked boolean := false;
    v_more_requests       bigint;
    v_more_batch_requests bigint;
    v_more_tokens         bigint;
    v_more_batch_tokens   bigint;
    v_more_usd            numeric;
    v_now    timestamptz;
    v_oldest timestamptz;         -- slots after this count
    v_day    date;
    v_dawn   timestamptz;         -- when the vendor's day began
    v        record;              -- all that counts
    v_ahead  record;
    v_from   timestamptz;         -- not before
    v_due    timestamptz;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    LOOP
        SELECT m.meter_id AS id, m.day_zone, l.* INTO v_meter
          FROM quota_meters m,
               quota_limits_of(p_provider, p_model, p_requests_minute, p_tokens_minute, p_requests_day, p_tokens_day, p_share) l
         WHERE m.provider = p_provider AND m.key_hash = p_key AND m.model = p_model;
        EXIT WHEN FOUND;
        INSERT INTO quota_meters (provider, key_hash, model, day_zone) VALUES (p_provider, p_key, p_model, p_zone)
        ON CONFLICT DO NOTHING;
    END LOOP;
    -- An estimate larger than a whole window has to have the whole window.
    v_need := CASE WHEN p_interactive THEN least(p_tokens, v_meter.tokens_minute, v_meter.tokens_day)
                   ELSE least(p_tokens, v_meter.batch_tokens_minute, v_meter.batch_tokens_day) END;
    meter_id := v_meter.id;
    tokens := v_need;

    LOOP
        v_now := clock_timestamp();
        v_oldest := v_now - v_counts;
        v_day := ((v_now - p_margin) AT TIME ZONE v_meter.day_zone)::date;
        v_dawn := v_day::timestamp AT TIME ZONE v_meter.day_zone;
        -- One statement, so one snapshot: a call that is just being marked as sent is in it once.
        SELECT u.*, a.requests AS ahead_requests, a.batch_requests AS ahead_batch_requests, a.tokens AS ahead_tokens,
               a.batch_tokens AS ahead_batch_tokens, c.until, c.code, c.detail, t.turn,
               coalesce((SELECT max(r.grant_no) FROM quota_reservations r WHERE r.meter_id = v_meter.id), 0) AS granted,
               CASE WHEN p_budget IS NOT NULL THEN
                   coalesce((SELECT sum(m.usd) FROM quota_months m
                              WHERE m.month = date_trunc('month', v_now AT TIME ZONE 'UTC')::date), 0)
                   + coalesce((SELECT sum(r.cost_usd) FROM quota_meters m JOIN quota_reservations r ON r.meter_id = m.meter_id
                                WHERE r.sent_at IS NULL AND r.lease_until > v_now), 0) END AS spent INTO v
          FROM (SELECT coalesce(sum(n.requests) FILTER (WHERE n.minute), 0) AS requests,
                       coalesce(sum(n.batch_requests) FILTER (WHERE n.minute), 0) AS batch_requests,
                       coalesce(sum(n.tokens) FILTER (WHERE n.minute), 0) AS tokens,
                       coalesce(sum(n.batch_tokens) FILTER (WHERE n.minute), 0) AS batch_tokens,
                       coalesce(sum(n.requests) FILTER (WHERE n.today), 0) AS day_requests,
                       coalesce(sum(n.batch_requests) FILTER (WHERE n.today), 0) AS day_batch_requests,
                       coalesce(sum(n.tokens) FILTER (WHERE n.today), 0) AS day_tokens,
                       coalesce(sum(n.batch_tokens) FILTER (WHERE n.today), 0) AS day_batch_tokens,
                       count(*) FILTER (WHERE n.over) AS over
                  FROM (SELECT s.requests, s.batch_requests, s.tokens, s.batch_tokens, s.slot > v_oldest AS minute,
                               s.slot + v_width + p_margin >= v_dawn AS today, s.slot <= v_oldest AS over
                          FROM quota_slots s WHERE s.meter_id = v_meter.id
                        UNION ALL
                        -- Two seconds past the lease: who marked it in the last moment may not have committed yet.
                        SELECT 1, CASE WHEN r.interactive THEN 0 ELSE 1 END, r.tokens, CASE WHEN r.interactive THEN 0 ELSE r.tokens END,
                               true, true, false
                          FROM quota_reservations r
                         WHERE r.meter_id = v_meter.id AND r.sent_at IS NULL AND r.lease_until > v_now - interval '2 seconds'
                        UNION ALL
                        SELECT d.requests, d.batch_requests, d.tokens, d.batch_tokens, false, true, false
                          FROM quota_days d WHERE d.meter_id = v_meter.id AND d.day = v_day) n) u
         CROSS JOIN (SELECT (SELECT w.due_at FROM quota_waiters w WHERE w.meter_id = v_meter.id AND w.waiter_id = v_waiter) AS turn) t
         CROSS JOIN LATERAL (   -- those whose turn has come and who may be on their way
            SELECT count(*) AS requests, count(*) FILTER (WHERE NOT w.interactive) AS batch_requests,
                   coalesce(sum(w.tokens), 0) AS tokens, coalesce(sum(w.tokens) FILTER (WHERE NOT w.interactive), 0) AS batch_tokens
              FROM (SELECT w.interactive, w.tokens FROM quota_waiters w
                     WHERE w.meter_id = v_meter.id AND w.interactive >= p_interactive AND w.waiter_id <> v_waiter
                       AND w.due_at > v_now - interval '10 seconds' AND w.due_at <= v_now
                       AND (w.due_at < t.turn OR t.turn IS NULL OR w.interactive > p_interactive) LIMIT 1000) w) a
          LEFT JOIN LATERAL (
            SELECT c.until, c.code, c.detail FROM quota_closures c
             WHERE c.provider = p_provider AND c.key_hash = p_key AND c.model IN (p_model, '*') AND c.until > v_now
             ORDER BY c.until DESC LIMIT 1) c ON true;
        reason := CASE
            WHEN v.spent >= p_budget OR v.spent + coalesce(p_cost, 0) > p_budget THEN 'budget'
            WHEN v.until IS NOT NULL THEN 'closed'
            WHEN v.day_requests + 1 > v_meter.requests_day
              OR (NOT p_interactive AND v.day_batch_requests + 1 > v_meter.batch_requests_day) THEN 'requests_day'
            WHEN v.day_tokens + v_need > v_meter.tokens_day
              OR (NOT p_interactive AND v.day_batch_tokens + v_need > v_meter.batch_tokens_day) THEN 'tokens_day'
            WHEN v.requests + v.ahead_requests + 1 > v_meter.requests_minute
              OR (NOT p_interactive AND v.batch_requests + v.ahead_batch_requests + 1 > v_meter.batch_requests_minute)
                THEN 'requests_minute'
            WHEN v.tokens + v.ahead_tokens + v_need > v_meter.tokens_minute
              OR (NOT p_interactive AND v.batch_tokens + v.ahead_batch_tokens + v_need > v_meter.batch_tokens_minute)
                THEN 'tokens_minute'
            END;
        EXIT WHEN v_locked AND reason IS NOT NULL;
        -- What may be granted meanwhile and leave room for this one. NULL is no limit.
        v_more_requests := least(v_meter.requests_minute - v.requests - v.ahead_requests, v_meter.requests_day - v.day_requests) - 1;
        v_more_tokens := least(v_meter.tokens_minute - v.tokens - v.ahead_tokens, v_meter.tokens_day - v.day_tokens) - v_need;
        v_more_batch_requests := least(v_meter.batch_requests_minute - v.batch_requests - v.ahead_batch_requests,
                                       v_meter.batch_requests_day - v.day_batch_requests) - 1;
        v_more_batch_tokens := least(v_meter.batch_tokens_minute - v.batch_tokens - v.ahead_batch_tokens,
                                     v_meter.batch_tokens_day - v.day_batch_tokens) - v_need;
        v_more_usd := p_budget - v.spent - coalesce(p_cost, 0);
        IF NOT v_locked THEN
            -- Asked for again and again instead of queued for: a queue hands the lock to who sleeps, and all wait until it is awake.
            WHILE NOT pg_try_advisory_xact_lock(1903521652, v_meter.id) LOOP
                IF clock_timestamp() > v_now + interval '1 second' THEN
                    verdict := 'wait';
                    reason := 'busy';
                    seconds := 1;
                    RETURN;
                END IF;
                PERFORM pg_sleep(0.002 * random());
            END LOOP;
            v_locked := true;
            CONTINUE WHEN reason IS NOT NULL;
        END IF;
        INSERT INTO quota_reservations (reservation_id, meter_id, interactive, tokens, cost_usd, job_id, place_id, lease_until)
        SELECT p_reservation, v_meter.id, p_interactive, v_need, p_cost, p_job, p_place, clock_timestamp() + p_lease
          FROM (SELECT count(*) AS requests, count(*) FILTER (WHERE NOT r.interactive) AS batch_requests,
                       sum(r.tokens) AS tokens, sum(r.tokens) FILTER (WHERE NOT r.interactive) AS batch_tokens, sum(r.cost_usd) AS usd
                  FROM quota_reservations r WHERE r.meter_id = v_meter.id AND r.grant_no > v.granted) n
         WHERE n.requests = 0
            OR (coalesce(n.requests <= v_more_requests, true) AND coalesce(n.tokens <= v_more_tokens, true)
                AND (p_interactive OR (coalesce(n.batch_requests <= v_more_batch_requests, true)
                                       AND coalesce(n.batch_tokens <= v_more_batch_tokens, true)))
                AND coalesce(n.usd <= v_more_usd, true));
        IF FOUND THEN
            verdict := 'granted';
            IF v.turn IS NOT NULL THEN
                DELETE FROM quota_waiters w WHERE w.meter_id = v_meter.id AND w.waiter_id = v_waiter;
            END IF;
            IF v.over > 100 THEN   -- the reaper, who folds every minute, does not come
                PERFORM quota_fold(v_meter.id, v_meter.day_zone, v_oldest, p_window, p_margin);
            END IF;
            RETURN;
        END IF;
    END LOOP;

    IF reason = 'budget' THEN
        DELETE FROM quota_waiters w WHERE w.meter_id = v_meter.id AND w.waiter_id = v_waiter;
        verdict := 'budget';
        detail := format('%s of %s USD are spent or under way', round(v.spent, 2), p_budget);
        RETURN;
    END IF;

    IF reason = 'closed' THEN
        v_from := v.until;
        code := v.code;
        detail := v.detail;
    ELSIF reason IN ('requests_day', 'tokens_day') THEN
        v_from := ((v_day + 1)::timestamp AT TIME ZONE v_meter.day_zone) + p_margin;
    ELSE
        -- Everyone before it in the queue, up to a thousand.
        SELECT count(*) AS requests, count(*) FILTER (WHERE NOT w.interactive) AS batch_requests,
               coalesce(sum(w.tokens), 0) AS tokens, coalesce(sum(w.tokens) FILTER (WHERE NOT w.interactive), 0) AS batch_tokens
          INTO v_ahead
          FROM (SELECT w.interactive, w.tokens FROM quota_waiters w
                 WHERE w.meter_id = v_meter.id AND w.interactive >= p_interactive AND w.waiter_id <> v_waiter
                   AND w.due_at > v_now - interval '10 seconds'
                   AND (w.due_at < v.turn OR v.turn IS NULL OR w.interactive > p_interactive) LIMIT 1000) w;
        SELECT min(e.free_at) FILTER (WHERE
                   coalesce(v.requests - e.requests + v_ahead.requests + 1 <= v_meter.requests_minute, true)
                   AND coalesce(v.tokens - e.tokens + v_ahead.tokens + v_need <= v_meter.tokens_minute, true)
                   AND (p_interactive
                        OR (coalesce(v.batch_requests - e.batch_requests + v_ahead.batch_requests + 1
                                     <= v_meter.batch_requests_minute, true)
                            AND coalesce(v.batch_tokens - e.batch_tokens + v_ahead.batch_tokens + v_need
                                         <= v_meter.batch_tokens_minute, true)))),
               min(e.free_at) INTO v_due, v_from
          FROM (SELECT s.slot + v_counts AS free_at,
                       sum(s.requests) OVER earlier AS requests, sum(s.batch_requests) OVER earlier AS batch_requests,
                       sum(s.tokens) OVER earlier AS tokens, sum(s.batch_tokens) OVER earlier AS batch_tokens
                  FROM quota_slots s WHERE s.meter_id = v_meter.id AND s.slot > v_oldest
                WINDOW earlier AS (ORDER BY s.slot)
                UNION ALL   -- what is about to be sent
                SELECT v_now + v_counts, v.requests, v.batch_requests, v.tokens, v.batch_tokens) e;
        v_from := v_from + v_counts;   -- when the first of those before it count no more
    END IF;
    IF v_due IS NULL THEN   -- nobody comes back in a crowd: a limit's breadth after the last who was told to come then
        v_due := CASE WHEN v.turn >= v_from THEN v.turn ELSE coalesce(
            (SELECT max(w.due_at) FROM quota_waiters w
              WHERE w.meter_id = v_meter.id AND w.interactive = p_interactive AND w.due_at >= v_from)
            + p_window / CASE WHEN p_interactive THEN v_meter.requests_minute ELSE v_meter.batch_requests_minute END, v_from) END;
    END IF;
    v_due := greatest(v_due, v_now + v_width);
    IF p_job IS NOT NULL THEN
        INSERT INTO quota_waiters AS w (meter_id, waiter_id, interactive, tokens, reason, since, due_at)
        VALUES (v_meter.id, v_waiter, p_interactive, v_need, reason, v_now, v_due)
        ON CONFLICT (meter_id, waiter_id) DO UPDATE
           SET interactive = EXCLUDED.interactive, tokens = EXCLUDED.tokens, reason = EXCLUDED.reason, due_at = EXCLUDED.due_at;
    END IF;
    verdict := 'wait';
    seconds := extract(epoch FROM v_due - v_now);
END $$;

CREATE FUNCTION public.quota_send(p_reservation uuid, p_window interval) RETURNS boolean
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET lock_timeout TO '1s'
    AS $$   -- with the two seconds for which a reservation counts beyond its lease, no reserver misses a late commit
DECLARE
    v     quota_reservations;
    v_now timestamptz := clock_timestamp();
BEGIN
    UPDATE quota_reservations r SET sent_at = v_now
     WHERE r.reservation_id = p_reservation AND r.sent_at IS NULL AND r.lease_until > v_now
       AND NOT EXISTS (SELECT 1 FROM quota_meters m JOIN quota_closures c ON c.provider = m.provider AND c.key_hash = m.key_hash
                        WHERE m.meter_id = r.meter_id AND c.model IN (m.model, '*') AND c.until > v_now)
    RETURNING * INTO v;
    IF NOT FOUND THEN
        PERFORM set_config('synchronous_commit', 'off', true);
        DELETE FROM quota_reservations WHERE reservation_id = p_reservation AND sent_at IS NULL;
        RETURN false;
    END IF;
    PERFORM quota_count(v.meter_id, v_now, v.interactive, 1, v.tokens, p_window);
    PERFORM quota_charge(v_now, v.cost_usd, false);
    RETURN true;
END $$;

CREATE FUNCTION public.quota_settle(p_reservation uuid, p_meter integer, p_interactive boolean, p_estimate bigint, p_estimated_cost numeric, p_job uuid, p_place uuid, p_outcome text, p_tokens bigint, p_input integer, p_output integer, p_cost numeric, p_milliseconds integer) RETURNS TABLE(settled boolean, sent_at timestamp with time zone, requests integer, tokens bigint)
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    v        quota_reservations;
    v_sent   timestamptz;
    v_tokens bigint := 0;     -- counted so far
    v_usd    numeric := 0;    -- charged so far
    v_cost   numeric := coalesce(p_cost, p_estimated_cost);
BEGIN
    SELECT * INTO v FROM quota_reservations r WHERE r.reservation_id = p_reservation FOR UPDATE;
    IF v.settled_at IS NOT NULL THEN
        RETURN QUERY SELECT false, v.sent_at, 0, 0::bigint;
        RETURN;
    END IF;
    v_sent := coalesce(v.sent_at, clock_timestamp());
    IF v.sent_at IS NOT NULL THEN
        v_tokens := v.tokens;
        v_usd := coalesce(v.cost_usd, 0);
    END IF;
    INSERT INTO quota_reservations AS r (reservation_id, meter_id, interactive, tokens, cost_usd, job_id, place_id, lease_until,
                                         sent_at, settled_at)
    VALUES (p_reservation, p_meter, p_interactive, p_estimate, p_estimated_cost, p_job, p_place, v_sent, v_sent, clock_timestamp())
    ON CONFLICT (reservation_id) DO UPDATE SET sent_at = EXCLUDED.sent_at, settled_at = EXCLUDED.settled_at;
    INSERT INTO usage (provider, model, job_id, place_id, outcome, input_tokens, output_tokens, cost_usd, cost_estimated,
                       milliseconds, created_at)
    SELECT m.provider, m.model, p_job, p_place, p_outcome, p_input, p_output, v_cost, p_cost IS NULL AND v_cost IS NOT NULL,
           p_milliseconds, v_sent
      FROM quota_meters m WHERE m.meter_id = p_meter;
    PERFORM quota_charge(v_sent, coalesce(v_cost, 0) - v_usd, true);
    RETURN QUERY SELECT true, v_sent, CASE WHEN v.sent_at IS NULL THEN 1 ELSE 0 END, coalesce(p_tokens, p_estimate) - v_tokens;
END $$;

CREATE FUNCTION public.quota_slot(p_at timestamp with time zone, p_window interval) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT date_bin(p_window / 60, p_at, '2000-01-01Z')
$$;

CREATE TABLE public.ai_checks (
    check_id uuid DEFAULT gen_random_uuid() NOT NULL,
    place_id uuid NOT NULL,
    job_id uuid,
    engine text NOT NULL,
    model text,
    locale text NOT NULL,
    question text NOT NULL,
    question_version text NOT NULL,
    sample integer DEFAULT 1 NOT NULL,
    mentioned boolean,
    own_page_cited boolean,
    own_page_retrieved boolean,
    owned_listing_cited boolean,
    accuracy jsonb,
    competitors jsonb,
    error text,
    evidence jsonb,
    cost_usd numeric(12,6),
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ai_checks_error_is_no_verdict CHECK (((error IS NULL) = (mentioned IS NOT NULL)))
);

CREATE TABLE public.alert_outbox (
    alert_id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    title text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    dedupe_key text NOT NULL,
    open boolean DEFAULT true NOT NULL,
    window_until timestamp with time zone DEFAULT (now() + '01:00:00'::interval) NOT NULL,
    occurrences integer DEFAULT 1 NOT NULL,
    posted integer DEFAULT 0 NOT NULL,
    status smallint DEFAULT 1 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_until timestamp with time zone,
    lease_token uuid,
    held boolean DEFAULT false NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT alert_outbox_last_error_check CHECK ((length(last_error) <= 2000)),
    CONSTRAINT alert_outbox_occurrences_check CHECK ((occurrences > 0)),
    CONSTRAINT alert_outbox_posted_check CHECK ((posted >= 0)),
    CONSTRAINT alert_outbox_status_check CHECK ((status = ANY (ARRAY[1, 2, 3]))),
    CONSTRAINT alert_outbox_title_check CHECK ((length(title) <= 300))
);

COMMENT ON COLUMN public.alert_outbox.status IS '1 WAITING (to be posted, or posted again), 2 SENT, 3 DEAD (the receiver refused it)';

CREATE TABLE public.beats (
    name text NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    woken_at timestamp with time zone,
    since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE public.channel_outcomes (
    outcome_id bigint NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    place_id uuid NOT NULL,
    channel text NOT NULL,
    outcome text NOT NULL,
    code text,
    CONSTRAINT channel_outcomes_outcome_check CHECK ((outcome = ANY (ARRAY['ok'::text, 'empty'::text, 'skipped'::text, 'failed'::text, 'partial'::text])))
);

ALTER TABLE public.channel_outcomes ALTER COLUMN outcome_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.channel_outcomes_outcome_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.channel_pace (
    channel text NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_until timestamp with time zone,
    closed_code text,
    CONSTRAINT channel_pace_closed_says_why CHECK (((closed_until IS NULL) = (closed_code IS NULL)))
)
WITH (fillfactor='50');

CREATE TABLE public.copies (
    copy_id uuid DEFAULT gen_random_uuid() NOT NULL,
    place_id uuid NOT NULL,
    job_id uuid,
    content jsonb NOT NULL,
    mode text NOT NULL,
    reason text,
    facts_version bigint NOT NULL,
    prompt_version text,
    model_version text,
    usage jsonb,
    current boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT copies_fallback_says_why CHECK (((mode <> 'facts_only'::text) OR (reason IS NOT NULL))),
    CONSTRAINT copies_mode_check CHECK ((mode = ANY (ARRAY['ai'::text, 'facts_only'::text])))
);

CREATE TABLE public.facts (
    fact_id uuid DEFAULT gen_random_uuid() NOT NULL,
    place_id uuid NOT NULL,
    key text NOT NULL,
    value jsonb,
    channel text NOT NULL,
    source_url text,
    confidence real DEFAULT 1 NOT NULL,
    confirmed boolean DEFAULT false NOT NULL,
    confirmed_by text,
    rejected_at timestamp with time zone,
    storable boolean DEFAULT true NOT NULL,
    disagrees boolean DEFAULT false NOT NULL,
    collected_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    confirmed_at timestamp with time zone,
    missing_since timestamp with time zone,
    CONSTRAINT facts_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT facts_confirmed_by_check CHECK ((confirmed_by = ANY (ARRAY['owner'::text, 'website'::text]))),
    CONSTRAINT facts_confirmed_is_stated CHECK (((NOT confirmed) OR ((confirmed_by IS NOT NULL) AND (rejected_at IS NULL)))),
    CONSTRAINT facts_kept_only_if_storable CHECK ((((value IS NOT NULL) = storable) AND (storable OR (disagrees AND (NOT confirmed))))),
    CONSTRAINT facts_key_check CHECK ((key ~ '^[a-z][a-z0-9_]{0,62}$'::text))
);

CREATE TABLE public.job_attempts (
    job_id uuid NOT NULL,
    worker_id uuid NOT NULL,
    attempt integer NOT NULL,
    invocation_id text,
    claimed_at timestamp with time zone,
    run_started_at timestamp with time zone,
    ended_at timestamp with time zone DEFAULT now() NOT NULL,
    outcome text NOT NULL,
    error text,
    CONSTRAINT job_attempts_error_check CHECK ((length(error) <= 2000)),
    CONSTRAINT job_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['failed'::text, 'dead'::text, 'lease_expired'::text, 'given_back'::text, 'cancelled'::text])))
);

COMMENT ON TABLE public.job_attempts IS 'Every attempt that did not end DONE; a snooze is counted on the job and leaves no row';

CREATE TABLE public.job_dependencies (
    job_id uuid NOT NULL,
    depends_on uuid NOT NULL,
    required boolean DEFAULT false NOT NULL,
    settled_at timestamp with time zone,
    killed_by uuid,
    CONSTRAINT job_dependencies_no_loop CHECK ((job_id <> depends_on))
);

CREATE TABLE public.job_type_settings (
    job_type smallint NOT NULL,
    name text NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    max_in_flight integer,
    CONSTRAINT job_type_settings_max_in_flight_check CHECK ((max_in_flight >= 0))
);

COMMENT ON TABLE public.job_type_settings IS 'What may change without a deployment; rows come from the registered types. A claim locks the rows of the types it takes from, which is what holds max_in_flight.';

CREATE TABLE public.photos (
    photo_id uuid DEFAULT gen_random_uuid() NOT NULL,
    place_id uuid NOT NULL,
    channel text NOT NULL,
    source_url text,
    media_key text,
    sha256 text,
    content_type text,
    width integer,
    height integer,
    bytes bigint,
    "position" integer DEFAULT 0 NOT NULL,
    confirmed boolean DEFAULT false NOT NULL,
    problem text,
    measures jsonb,
    vision jsonb,
    rank integer,
    duplicate_of uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT photos_bytes_check CHECK ((bytes > 0)),
    CONSTRAINT photos_height_check CHECK ((height > 0)),
    CONSTRAINT photos_width_check CHECK ((width > 0))
);

CREATE TABLE public.places (
    place_id uuid DEFAULT gen_random_uuid() NOT NULL,
    owner_id uuid NOT NULL,
    name text NOT NULL,
    locale text DEFAULT 'ko'::text NOT NULL,
    region_code text,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    accept_website boolean DEFAULT true NOT NULL,
    identity_key text NOT NULL,
    facts_version bigint DEFAULT 1 NOT NULL,
    page_version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    collected_at timestamp with time zone,
    recollect_from timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT places_locale_check CHECK ((locale = ANY (ARRAY['ko'::text, 'en'::text]))),
    CONSTRAINT places_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

CREATE TABLE public.quota_closures (
    provider text NOT NULL,
    key_hash text NOT NULL,
    model text NOT NULL,
    until timestamp with time zone NOT NULL,
    code text NOT NULL,
    detail text NOT NULL,
    closed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT quota_closures_detail_check CHECK ((length(detail) <= 300))
);

CREATE TABLE public.quota_days (
    meter_id integer NOT NULL,
    day date NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    batch_requests bigint DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    batch_tokens bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE public.quota_days IS 'Written when slots are folded, not with each call. A call within the margin of midnight counts on both sides';

CREATE TABLE public.quota_limits (
    provider text NOT NULL,
    model text NOT NULL,
    requests_minute integer,
    tokens_minute bigint,
    requests_day integer,
    tokens_day bigint,
    reserved_share double precision,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT quota_limits_requests_day_check CHECK ((requests_day > 0)),
    CONSTRAINT quota_limits_requests_minute_check CHECK ((requests_minute > 0)),
    CONSTRAINT quota_limits_reserved_share_check CHECK (((reserved_share >= (0)::double precision) AND (reserved_share < (1)::double precision))),
    CONSTRAINT quota_limits_tokens_day_check CHECK ((tokens_day > 0)),
    CONSTRAINT quota_limits_tokens_minute_check CHECK ((tokens_minute > 0))
);

COMMENT ON TABLE public.quota_limits IS 'What a vendor allows, changed without a deployment. NULL: as the row of * says, then as the QUOTA_ settings say.';

COMMENT ON COLUMN public.quota_limits.reserved_share IS 'of every limit, for interactive work alone; batch work is always left at least one request';

CREATE TABLE public.quota_meters (
    meter_id integer NOT NULL,
    provider text NOT NULL,
    key_hash text NOT NULL,
    model text NOT NULL,
    day_zone text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT quota_meters_model_check CHECK ((model <> '*'::text))
);

ALTER TABLE public.quota_meters ALTER COLUMN meter_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.quota_meters_meter_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.quota_months (
    month date NOT NULL,
    stripe smallint NOT NULL,
    usd numeric(14,6) NOT NULL
)
WITH (fillfactor='30');

COMMENT ON TABLE public.quota_months IS 'What a month''s calls cost, those under way by their estimate';

CREATE TABLE public.quota_reservations (
    reservation_id uuid NOT NULL,
    meter_id integer NOT NULL,
    grant_no bigint NOT NULL,
    interactive boolean NOT NULL,
    tokens bigint NOT NULL,
    cost_usd numeric(12,6),
    job_id uuid,
    place_id uuid,
    lease_until timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    settled_at timestamp with time zone,
    CONSTRAINT quota_reservations_cost_usd_check CHECK ((cost_usd >= (0)::numeric)),
    CONSTRAINT quota_reservations_settled_was_sent CHECK (((settled_at IS NULL) OR (sent_at IS NOT NULL))),
    CONSTRAINT quota_reservations_tokens_check CHECK ((tokens >= 0))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');

ALTER TABLE public.quota_reservations ALTER COLUMN grant_no ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.quota_reservations_grant_no_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.quota_slots (
    meter_id integer NOT NULL,
    slot timestamp with time zone NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    batch_requests bigint DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    batch_tokens bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='30', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500');

COMMENT ON TABLE public.quota_slots IS 'Sent calls of the last window, and older ones until they are folded into the days. Room in each page: counting up touches no index';

CREATE TABLE public.quota_waiters (
    meter_id integer NOT NULL,
    waiter_id uuid NOT NULL,
    interactive boolean NOT NULL,
    tokens bigint NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    due_at timestamp with time zone NOT NULL
);

CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.site_roots (
    name text NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    content_hash text
);

CREATE TABLE public.sites (
    place_id uuid NOT NULL,
    slug text NOT NULL,
    content_hash text,
    render_version text,
    page_version bigint,
    published_at timestamp with time zone,
    changed_at timestamp with time zone,
    unpublished_at timestamp with time zone,
    missing text[],
    CONSTRAINT sites_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 80)))
);

CREATE TABLE public.usage (
    usage_id bigint NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    job_id uuid,
    place_id uuid,
    outcome text NOT NULL,
    input_tokens integer,
    output_tokens integer,
    cost_usd numeric(12,6),
    milliseconds integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    cost_estimated boolean DEFAULT false NOT NULL
);

ALTER TABLE public.usage ALTER COLUMN usage_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.usage_usage_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.users (
    user_id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    password_hash text NOT NULL,
    role text DEFAULT 'member'::text NOT NULL,
    locale text DEFAULT 'ko'::text NOT NULL,
    token_version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    disabled_at timestamp with time zone,
    CONSTRAINT users_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 254)))),
    CONSTRAINT users_locale_check CHECK ((locale = ANY (ARRAY['ko'::text, 'en'::text]))),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['member'::text, 'admin'::text])))
);

ALTER TABLE ONLY public.ai_checks
    ADD CONSTRAINT ai_checks_pkey PRIMARY KEY (check_id);

ALTER TABLE ONLY public.alert_outbox
    ADD CONSTRAINT alert_outbox_pkey PRIMARY KEY (alert_id);

ALTER TABLE ONLY public.beats
    ADD CONSTRAINT beats_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.channel_outcomes
    ADD CONSTRAINT channel_outcomes_pkey PRIMARY KEY (outcome_id);

ALTER TABLE ONLY public.channel_pace
    ADD CONSTRAINT channel_pace_pkey PRIMARY KEY (channel);

ALTER TABLE ONLY public.copies
    ADD CONSTRAINT copies_pkey PRIMARY KEY (copy_id);

ALTER TABLE ONLY public.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (fact_id);

ALTER TABLE ONLY public.job_attempts
    ADD CONSTRAINT job_attempts_pkey PRIMARY KEY (job_id, worker_id);

ALTER TABLE ONLY public.job_dependencies
    ADD CONSTRAINT job_dependencies_pkey PRIMARY KEY (job_id, depends_on);

ALTER TABLE ONLY public.job_type_settings
    ADD CONSTRAINT job_type_settings_name_key UNIQUE (name);

ALTER TABLE ONLY public.job_type_settings
    ADD CONSTRAINT job_type_settings_pkey PRIMARY KEY (job_type);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (job_id);

ALTER TABLE ONLY public.photos
    ADD CONSTRAINT photos_pkey PRIMARY KEY (photo_id);

ALTER TABLE ONLY public.places
    ADD CONSTRAINT places_pkey PRIMARY KEY (place_id);

ALTER TABLE ONLY public.quota_closures
    ADD CONSTRAINT quota_closures_pkey PRIMARY KEY (provider, key_hash, model);

ALTER TABLE ONLY public.quota_days
    ADD CONSTRAINT quota_days_pkey PRIMARY KEY (meter_id, day);

ALTER TABLE ONLY public.quota_limits
    ADD CONSTRAINT quota_limits_pkey PRIMARY KEY (provider, model);

ALTER TABLE ONLY public.quota_meters
    ADD CONSTRAINT quota_meters_pkey PRIMARY KEY (meter_id);

ALTER TABLE ONLY public.quota_meters
    ADD CONSTRAINT quota_meters_provider_key_hash_model_key UNIQUE (provider, key_hash, model);

ALTER TABLE ONLY public.quota_months
    ADD CONSTRAINT quota_months_pkey PRIMARY KEY (month, stripe);

ALTER TABLE ONLY public.quota_reservations
    ADD CONSTRAINT quota_reservations_pkey PRIMARY KEY (reservation_id);

ALTER TABLE ONLY public.quota_slots
    ADD CONSTRAINT quota_slots_pkey PRIMARY KEY (meter_id, slot);

ALTER TABLE ONLY public.quota_waiters
    ADD CONSTRAINT quota_waiters_pkey PRIMARY KEY (meter_id, waiter_id);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.site_roots
    ADD CONSTRAINT site_roots_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_pkey PRIMARY KEY (place_id);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_slug_key UNIQUE (slug);

ALTER TABLE ONLY public.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (usage_id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (user_id);

CREATE INDEX ai_checks_of_place ON public.ai_checks USING btree (place_id, asked_at);

CREATE INDEX alert_outbox_due ON public.alert_outbox USING btree (next_attempt_at) WHERE (status = 1);

CREATE INDEX alert_outbox_held ON public.alert_outbox USING btree (next_attempt_at) WHERE held;

CREATE INDEX alert_outbox_newest ON public.alert_outbox USING btree (created_at);

CREATE UNIQUE INDEX alert_outbox_one_open ON public.alert_outbox USING btree (dedupe_key) WHERE open;

CREATE INDEX alert_outbox_refused ON public.alert_outbox USING btree (created_at) WHERE (status = 3);

CREATE INDEX channel_outcomes_by_time ON public.channel_outcomes USING btree (asked_at);

CREATE UNIQUE INDEX copies_one_current ON public.copies USING btree (place_id) WHERE current;

CREATE UNIQUE INDEX facts_one_confirmed_a_key ON public.facts USING btree (place_id, key) WHERE confirmed;

CREATE UNIQUE INDEX facts_one_row_a_statement ON public.facts USING btree (place_id, key, channel, md5(COALESCE((value)::text, ''::text)));

CREATE INDEX job_attempts_newest ON public.job_attempts USING btree (ended_at);

CREATE INDEX job_dependencies_killed ON public.job_dependencies USING btree (depends_on) WHERE (killed_by IS NOT NULL);

CREATE INDEX job_dependencies_open ON public.job_dependencies USING btree (depends_on) WHERE (settled_at IS NULL);

CREATE INDEX jobs_acknowledged ON public.jobs USING btree (finished_at) WHERE ((status = 4) AND (acknowledged_at IS NOT NULL));

CREATE INDEX jobs_dead ON public.jobs USING btree (finished_at) WHERE (status = 4);

CREATE INDEX jobs_newest_of_key ON public.jobs USING btree (dedupe_key, created_at) WHERE (dedupe_key IS NOT NULL);

CREATE INDEX jobs_of_graph ON public.jobs USING btree (graph_id) WHERE (graph_id IS NOT NULL);

CREATE INDEX jobs_of_place ON public.jobs USING btree (place_id, created_at) WHERE (place_id IS NOT NULL);

CREATE UNIQUE INDEX jobs_one_active_a_key ON public.jobs USING btree (dedupe_key) WHERE ((status = ANY (ARRAY[1, 2])) AND (dedupe_key IS NOT NULL));

CREATE UNIQUE INDEX jobs_one_graph_a_place ON public.jobs USING btree (place_id) WHERE (ends_graph AND (status = ANY (ARRAY[1, 2])));

CREATE INDEX jobs_over ON public.jobs USING btree (status, finished_at) WHERE (status = ANY (ARRAY[3, 5]));

CREATE INDEX jobs_ready ON public.jobs USING btree (job_type, priority, run_after) WHERE ((status = 1) AND (waiting_on = 0));

CREATE INDEX jobs_running ON public.jobs USING btree (job_type) WHERE (status = 2);

CREATE INDEX jobs_waiting ON public.jobs USING btree (job_id) WHERE ((status = 1) AND (waiting_on > 0));

CREATE INDEX photos_of_place ON public.photos USING btree (place_id, rank, "position");

CREATE UNIQUE INDEX photos_one_a_content ON public.photos USING btree (place_id, sha256) WHERE (source_url IS NULL);

CREATE UNIQUE INDEX photos_one_a_source ON public.photos USING btree (place_id, source_url) WHERE (source_url IS NOT NULL);

CREATE INDEX places_by_collection ON public.places USING btree (recollect_from) WHERE (deleted_at IS NULL);

CREATE INDEX places_of_owner ON public.places USING btree (owner_id, created_at) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX places_one_identity ON public.places USING btree (owner_id, identity_key) WHERE (deleted_at IS NULL);

CREATE INDEX quota_granted ON public.quota_reservations USING btree (meter_id, grant_no);

CREATE INDEX quota_unsent ON public.quota_reservations USING btree (meter_id, lease_until) WHERE (sent_at IS NULL);

CREATE INDEX quota_waiters_in_turn ON public.quota_waiters USING btree (meter_id, interactive, due_at);

CREATE INDEX usage_by_time ON public.usage USING btree (created_at);

ALTER TABLE ONLY public.ai_checks
    ADD CONSTRAINT ai_checks_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(place_id);

ALTER TABLE ONLY public.copies
    ADD CONSTRAINT copies_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(place_id);

ALTER TABLE ONLY public.facts
    ADD CONSTRAINT facts_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(place_id);

ALTER TABLE ONLY public.job_attempts
    ADD CONSTRAINT job_attempts_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(job_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.job_dependencies
    ADD CONSTRAINT job_dependencies_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(job_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.photos
    ADD CONSTRAINT photos_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES public.photos(photo_id);

ALTER TABLE ONLY public.photos
    ADD CONSTRAINT photos_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(place_id);

ALTER TABLE ONLY public.places
    ADD CONSTRAINT places_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(user_id);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(place_id);
