-- The queue's operations that take more than one statement: one round trip each, and every statement in a function sees what
-- was committed before it began. Lock order everywhere: the type rows, then jobs, then edges, then the outbox. Of jobs first those
-- that wait on nothing, then those that wait, each by job_id: who ends a job holds it before it knows what waits on it.
-- Sequential scans are off inside them, because a plan made while the table was small would stay when it has grown. Those called most
-- often plan once a session: a plan made for the values at hand would always look a little cheaper, and be made anew each time.

-- Seconds before the next try: min(600, 5 * 2^(attempts - 1)), lengthened by up to p_jitter of itself.
CREATE FUNCTION job_backoff(p_attempts integer, p_jitter double precision) RETURNS interval
LANGUAGE sql VOLATILE AS $$
    SELECT make_interval(secs => least(600, 5 * power(2, least(p_attempts, 20) - 1)) * (1 + p_jitter * random()))
$$;

CREATE FUNCTION job_type_name(p_type smallint) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT name FROM job_type_settings WHERE job_type = p_type), p_type::text)
$$;

CREATE FUNCTION job_dead_key(p_job jobs) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT 'job_dead:' || job_type_name(p_job.job_type) || ':'
        || coalesce(p_job.place_id::text, left(p_job.payload ->> 'region_code', 100), p_job.job_id::text)
$$;

-- Claims up to p_limit ready jobs for p_worker: lower priority first, the types taking turns within one, each type by run_after.
-- The rows of the limited types are locked before anything is counted, so max_in_flight holds across claimers. The clock is read
-- after that wait: a job enqueued while we waited counts as ready. Who has waited two seconds for a row that somebody
-- keeps gets lock_not_available, and asks again without p_wait: the other types are served all the same.
CREATE FUNCTION job_claim(p_limit integer, p_worker uuid, p_lease interval, p_wait boolean DEFAULT true)
RETURNS TABLE (job_id uuid, job_type smallint, attempt integer)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
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

-- A batch's refs in job_id order, the order in which their rows are locked.
--
-- Whoever locks them looks each one up by itself (LATERAL with FOR UPDATE cannot be flattened), by its primary key: a join would be
-- planned for the table as it was once, and compare everything with everything. `status::integer = 2` says RUNNING in a way that
-- the index of running jobs does not serve. The locked rows are then changed by where they stand, from which nobody can move them.
CREATE FUNCTION job_refs(p_jobs uuid[], p_workers uuid[], p_attempts integer[])
RETURNS TABLE (job_id uuid, worker_id uuid, attempt integer)
LANGUAGE sql IMMUTABLE AS $$
    SELECT * FROM unnest(p_jobs, p_workers, p_attempts) r ORDER BY 1
$$;

-- Starts each claimed job once: a second delivery of its event, or one after the lease was lost, gets no row.
CREATE FUNCTION job_start(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_invocation text, p_lease interval)
RETURNS SETOF jobs
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
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

-- Returns the refs still owned, and of each whether it is asked to stop. Without p_wait those whose rows somebody keeps locked are
-- passed by: one of a batch must not keep the others' leases from being renewed.
CREATE FUNCTION job_renew_lease(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_lease interval, p_wait boolean)
RETURNS TABLE (job_id uuid, cancel_requested boolean)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
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

-- Locks everything that waits, directly or not, on the given jobs, in order, before any of it is changed.
CREATE FUNCTION job_lock_downstream(p_jobs uuid[]) RETURNS void
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- Settles the edges onto jobs that have ended, once each, in the transaction that ended them. A dependent whose last edge is
-- settled becomes ready now; one whose required dependency died dies with it, without an alert of its own; one whose required
-- dependency was cancelled is cancelled. Returns how many jobs became ready.
CREATE FUNCTION job_settle(p_ended uuid[]) RETURNS integer
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- Whether a claimer would find something of one of these types: a slot that came free is of use to it. Looks at the head of each
-- priority, as the claim does, so neither a backlog nor delayed rows make it slow.
CREATE FUNCTION job_backlog(p_types smallint[]) RETURNS boolean
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- DONE for every ref still held; returns those, and with each whether there is work to wake a claimer for.
CREATE FUNCTION job_complete(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_results jsonb[])
RETURNS TABLE (job_id uuid, work_ready boolean)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
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

-- Keeps an attempt that did not end DONE. Called while the row still names its worker.
CREATE FUNCTION job_note_attempt(p_job uuid, p_outcome text, p_error text) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO job_attempts (job_id, worker_id, attempt, invocation_id, claimed_at, run_started_at, outcome, error)
    SELECT job_id, worker_id, attempts, invocation_id, claimed_at, run_started_at, p_outcome, left(p_error, 2000)
      FROM jobs WHERE job_id = p_job
    ON CONFLICT DO NOTHING
$$;

-- The dead letter: DEAD, one count in the outbox, dependents settled. The caller holds the row's lock.
CREATE FUNCTION job_bury(p_job uuid, p_error text, p_window interval) RETURNS integer
LANGUAGE plpgsql AS $$
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

-- CANCELLED, dependents settled. The caller holds the row's lock.
CREATE FUNCTION job_drop(p_job uuid) RETURNS integer
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM job_lock_downstream(ARRAY[p_job]);
    UPDATE jobs
       SET status = 5, worker_id = NULL, lease_until = NULL, finished_at = now(), updated_at = now()
     WHERE job_id = p_job;
    RETURN job_settle(ARRAY[p_job]);
END $$;

-- A failed attempt of a job whose row the caller holds: cancelled if that was asked, DEAD if spent or permanent, else PENDING later.
CREATE FUNCTION job_fail_held(p_job uuid, p_outcome text, p_error text, p_permanent boolean, p_jitter double precision,
                              p_window interval) RETURNS smallint
LANGUAGE plpgsql AS $$
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

-- Puts a held job back without spending its attempt. The caller holds the row's lock.
CREATE FUNCTION job_give_back(p_job uuid, p_delay interval) RETURNS smallint
LANGUAGE plpgsql AS $$
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

-- The row of a ref still held, locked; NULL for the loser of a race. By its primary key, as in job_refs.
CREATE FUNCTION job_hold(p_job uuid, p_worker uuid, p_attempt integer) RETURNS uuid
LANGUAGE sql AS $$
    SELECT job_id FROM jobs
     WHERE job_id = p_job AND worker_id = p_worker AND attempts = p_attempt AND status::integer = 2
       FOR UPDATE
$$;

CREATE FUNCTION job_fail(p_job uuid, p_worker uuid, p_attempt integer, p_error text, p_permanent boolean,
                         p_jitter double precision, p_window interval) RETURNS smallint
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    IF job_hold(p_job, p_worker, p_attempt) IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN job_fail_held(p_job, 'failed', p_error, p_permanent, p_jitter, p_window);
END $$;

-- Bounded by 72 hours since the job was first snoozed: no delay reaches beyond them, and what still waits then is a failed attempt.
CREATE FUNCTION job_snooze(p_job uuid, p_worker uuid, p_attempt integer, p_delay interval, p_reason text,
                           p_jitter double precision, p_window interval) RETURNS smallint
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- The claimer could not invoke the handler. Twenty times in a row that costs nothing (two seconds, doubling to a minute);
-- then it counts as a failed attempt, so that a type that cannot be invoked ends up where a person sees it.
CREATE FUNCTION job_release(p_jobs uuid[], p_workers uuid[], p_attempts integer[], p_reason text,
                            p_jitter double precision, p_window interval)
RETURNS TABLE (job_id uuid, status smallint)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- The holder says that the work it was asked to stop has stopped.
CREATE FUNCTION job_cancelled(p_job uuid, p_worker uuid, p_attempt integer) RETURNS smallint
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- One page of leases that ran out, after p_after in job_id order. Each row in a subtransaction: one that cannot be written is
-- reported in `problem` and the rest go on; so is one whose dependents or alert somebody silent keeps locked. An attempt no handler
-- ever started is given back, at most five times.
CREATE FUNCTION job_reap(p_after uuid, p_limit integer, p_jitter double precision, p_window interval)
RETURNS TABLE (job_id uuid, job_type smallint, status smallint, last_error text, problem text)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '1s' AS $$
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

-- Recounts waiters that look forgotten: all their edges are onto jobs that ended (or are gone), yet they wait.
CREATE FUNCTION job_recount(p_limit integer) RETURNS integer
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- Pending jobs are cancelled at once; running ones are asked to stop. Returns each and the status it has now.
CREATE FUNCTION job_cancel(p_jobs uuid[]) RETURNS TABLE (job_id uuid, status smallint)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- DEAD → PENDING, and with it the dependents that died of it. No row: the job is not DEAD.
-- outcome: requeued, revived; or it stays DEAD: conflict (an active job `other` has the key, or the place's graph), blocked (it also
-- died of `other`, which has not come back). What an edge is worth is read from the dependency as it stands now.
CREATE FUNCTION job_requeue(p_job uuid) RETURNS TABLE (job_id uuid, outcome text, other uuid)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- Asks whether to invoke the claimer: true for the one caller that found no invoke outstanding. Lost ones are forgotten after
-- five seconds, as long as the claimer's own polling. Where the row is locked, another waker invokes or a claimer is about to claim;
-- whoever else keeps it must not hold up an enqueue. No flush: a wake lost in a crash is made up for by the next poll.
CREATE FUNCTION claimer_wake() RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE beats SET woken_at = now()
     WHERE name = (SELECT b.name FROM beats b
                    WHERE b.name = 'claimer' AND (b.woken_at IS NULL OR b.woken_at < now() - interval '5 seconds')
                      FOR UPDATE SKIP LOCKED);
    RETURN FOUND;
END $$;

-- Jobs a status. Live states exactly, each by an index that holds nothing else. DONE and CANCELLED are counted to 100,000 in the order
-- of jobs_over, so that neither the history nor the backlog is read; of more DONE the index's statistics tell how many.
CREATE FUNCTION job_counts() RETURNS TABLE (pending bigint, running bigint, done bigint, done_estimated boolean, dead bigint, cancelled bigint)
LANGUAGE sql STABLE SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
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
