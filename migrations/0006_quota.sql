-- The quota governor: what may be sent to paid providers, across all sandboxes, and what it has cost.
--
-- A call is first reserved, then marked as sent, then settled. What counts against a limit is read from rows that each tell of something
-- that happened, so no total can drift:
--   * a reservation that is not sent counts while its lease lasts, and given back means no more than that its row does not count;
--   * a sent one counts in the slot of the moment it was marked, for the vendor's window and a margin: by then it has arrived.
-- Whatever the window a vendor counts by, each call in it was counted when the last of them was reserved.
--
-- Commits of reserving and sending are not flushed. What a crash of the server loses, at most the last three wal_writer_delays
-- (0.6 s), lets the vendor be sent as many calls more, and its 429 then closes the meter. Money is flushed: see quota_settle.
-- Lock order: a meter's advisory lock, one reservation, slots, days in order, a stripe of the month.

CREATE TABLE quota_limits (
    provider        text NOT NULL,
    model           text NOT NULL,   -- '*': every model of the provider that says nothing of its own
    requests_minute integer CHECK (requests_minute > 0),
    tokens_minute   bigint CHECK (tokens_minute > 0),
    requests_day    integer CHECK (requests_day > 0),
    tokens_day      bigint CHECK (tokens_day > 0),
    reserved_share  double precision CHECK (reserved_share >= 0 AND reserved_share < 1),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (provider, model)
);
COMMENT ON TABLE quota_limits IS
    'What a vendor allows, changed without a deployment. NULL: as the row of * says, then as the QUOTA_ settings say.';
COMMENT ON COLUMN quota_limits.reserved_share IS 'of every limit, for interactive work alone; batch work is always left at least one request';

-- Perplexity's lowest tier, as published in October 2026; no interactive work asks it. Gemini shows its limits in the console alone.
INSERT INTO quota_limits (provider, model, requests_minute, reserved_share) VALUES ('perplexity', '*', 50, 0);

CREATE TABLE quota_meters (
    meter_id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider   text NOT NULL,
    key_hash   text NOT NULL,   -- a short keyed hash of the vendor's key
    model      text NOT NULL CHECK (model <> '*'),
    day_zone   text NOT NULL,   -- in which the vendor's day begins at midnight
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (provider, key_hash, model)
);

CREATE TABLE quota_closures (
    provider  text NOT NULL,
    key_hash  text NOT NULL,
    model     text NOT NULL,          -- '*': the whole key
    until     timestamptz NOT NULL,
    code      text NOT NULL,          -- why: a failure's code
    detail    text NOT NULL CHECK (length(detail) <= 300),
    closed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (provider, key_hash, model)
);

CREATE TABLE quota_reservations (
    reservation_id uuid PRIMARY KEY,
    meter_id       integer NOT NULL,   -- no foreign key: checking it would lock the meter's row with every call
    grant_no       bigint GENERATED ALWAYS AS IDENTITY,   -- within a meter the order of the grants, which are made under its lock
    interactive    boolean NOT NULL,
    tokens         bigint NOT NULL CHECK (tokens >= 0),
    cost_usd       numeric(12, 6) CHECK (cost_usd >= 0),
    job_id         uuid,
    place_id       uuid,
    lease_until    timestamptz NOT NULL,   -- not sent by then: given back
    sent_at        timestamptz,
    settled_at     timestamptz,
    CONSTRAINT quota_reservations_settled_was_sent CHECK (settled_at IS NULL OR sent_at IS NOT NULL)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- Read with every reservation; holds what is between reserving and sending, which is milliseconds.
CREATE INDEX quota_unsent ON quota_reservations (meter_id, lease_until) WHERE sent_at IS NULL;
CREATE INDEX quota_granted ON quota_reservations (meter_id, grant_no);

CREATE TABLE quota_slots (
    meter_id       integer NOT NULL,
    slot           timestamptz NOT NULL,   -- its beginning; a sixtieth of the window long
    requests       bigint NOT NULL DEFAULT 0,
    batch_requests bigint NOT NULL DEFAULT 0,   -- of these
    tokens         bigint NOT NULL DEFAULT 0,
    batch_tokens   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (meter_id, slot)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE quota_slots IS
    'Sent calls of the last window, and older ones until they are folded into the days. Room in each page: counting up touches no index';

CREATE TABLE quota_days (
    meter_id       integer NOT NULL,
    day            date NOT NULL,   -- the vendor''s
    requests       bigint NOT NULL DEFAULT 0,
    batch_requests bigint NOT NULL DEFAULT 0,
    tokens         bigint NOT NULL DEFAULT 0,
    batch_tokens   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (meter_id, day)
) WITH (fillfactor = 50);
COMMENT ON TABLE quota_days IS 'Written when slots are folded, not with each call. A call within the margin of midnight counts on both sides';

CREATE TABLE quota_waiters (
    meter_id    integer NOT NULL,
    waiter_id   uuid NOT NULL,   -- the job
    interactive boolean NOT NULL,
    tokens      bigint NOT NULL,
    reason      text NOT NULL,
    since       timestamptz NOT NULL DEFAULT now(),
    due_at      timestamptz NOT NULL,   -- when it was told to come back; its turn is kept for ten seconds
    PRIMARY KEY (meter_id, waiter_id)
);
CREATE INDEX quota_waiters_in_turn ON quota_waiters (meter_id, interactive, due_at);

CREATE TABLE quota_months (
    month  date NOT NULL,       -- its first day, of the calendar in UTC
    stripe smallint NOT NULL,   -- a call is added to any of eight, with a flush to any of eight others: no flush holds up all
    usd    numeric(14, 6) NOT NULL,
    PRIMARY KEY (month, stripe)
) WITH (fillfactor = 30);
COMMENT ON TABLE quota_months IS 'What a month''s calls cost, those under way by their estimate';

ALTER TABLE usage ADD COLUMN cost_estimated boolean NOT NULL DEFAULT false;   -- the vendor did not say what the call took
INSERT INTO quota_months (month, stripe, usd)
SELECT date_trunc('month', created_at AT TIME ZONE 'UTC')::date, 0, sum(cost_usd) FROM usage WHERE cost_usd IS NOT NULL GROUP BY 1;

-- What of a limit batch work may take: never the share of interactive work, and never less than one. NULL is no limit.
CREATE FUNCTION quota_batch_share(p_limit bigint, p_share double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_limit IS NOT NULL THEN greatest(1, p_limit - ceil(p_limit * p_share::numeric)::bigint) END
$$;

-- A model's limits, and what of them batch work may take: its own row, then the provider's, then the settings.
CREATE FUNCTION quota_limits_of(p_provider text, p_model text, p_requests_minute integer, p_tokens_minute bigint,
                                p_requests_day integer, p_tokens_day bigint, p_share double precision)
RETURNS TABLE (requests_minute bigint, tokens_minute bigint, requests_day bigint, tokens_day bigint, reserved_share double precision,
               batch_requests_minute bigint, batch_tokens_minute bigint, batch_requests_day bigint, batch_tokens_day bigint)
LANGUAGE sql STABLE AS $$
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

CREATE FUNCTION quota_slot(p_at timestamptz, p_window interval) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$
    SELECT date_bin(p_window / 60, p_at, '2000-01-01Z')
$$;

-- The vendor's days on which a call of the slot may have arrived: one, or two about midnight.
CREATE FUNCTION quota_days_of(p_slot timestamptz, p_zone text, p_window interval, p_margin interval) RETURNS SETOF date
LANGUAGE sql IMMUTABLE AS $$
    SELECT DISTINCT (at AT TIME ZONE p_zone)::date
      FROM (VALUES (p_slot - p_margin), (p_slot + p_window / 60 + p_margin)) v (at)
$$;

-- Moves slots that count no more into the days. Whoever deletes a slot's row adds it, so it may run beside itself.
CREATE FUNCTION quota_fold(p_meter integer, p_zone text, p_until timestamptz, p_window interval, p_margin interval) RETURNS void
LANGUAGE sql AS $$
    WITH gone AS (DELETE FROM quota_slots WHERE meter_id = p_meter AND slot <= p_until RETURNING *)
    INSERT INTO quota_days AS d (meter_id, day, requests, batch_requests, tokens, batch_tokens)
    SELECT p_meter, day, sum(requests), sum(batch_requests), sum(tokens), sum(batch_tokens)
      FROM gone, quota_days_of(slot, p_zone, p_window, p_margin) day GROUP BY day ORDER BY day
    ON CONFLICT (meter_id, day) DO UPDATE
       SET requests = d.requests + EXCLUDED.requests, batch_requests = d.batch_requests + EXCLUDED.batch_requests,
           tokens = d.tokens + EXCLUDED.tokens, batch_tokens = d.batch_tokens + EXCLUDED.batch_tokens
$$;

-- Counts a call in its slot, or corrects what was counted. Where its slot is folded already, a new row of it will be folded after it. No
-- flush: what of it a crash loses is an estimate instead of a figure, or as said above.
CREATE FUNCTION quota_count(p_meter integer, p_at timestamptz, p_interactive boolean, p_requests integer, p_tokens bigint,
                            p_window interval) RETURNS void
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO quota_slots AS s (meter_id, slot, requests, batch_requests, tokens, batch_tokens)
    VALUES (p_meter, quota_slot(p_at, p_window), p_requests, CASE WHEN p_interactive THEN 0 ELSE p_requests END,
            p_tokens, CASE WHEN p_interactive THEN 0 ELSE p_tokens END)
    ON CONFLICT (meter_id, slot) DO UPDATE
       SET requests = s.requests + EXCLUDED.requests, batch_requests = s.batch_requests + EXCLUDED.batch_requests,
           tokens = s.tokens + EXCLUDED.tokens, batch_tokens = s.batch_tokens + EXCLUDED.batch_tokens;
END $$;

-- Adds to the month of p_at. Those who flush their commit have stripes of their own: the others never wait for a disk.
CREATE FUNCTION quota_charge(p_at timestamptz, p_usd numeric, p_flushed boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_usd <> 0 THEN   -- nor NULL
        INSERT INTO quota_months AS m (month, stripe, usd)
        VALUES (date_trunc('month', p_at AT TIME ZONE 'UTC')::date, floor(random() * 8) + CASE WHEN p_flushed THEN 8 ELSE 0 END, p_usd)
        ON CONFLICT (month, stripe) DO UPDATE SET usd = m.usd + EXCLUDED.usd;
    END IF;
END $$;

-- Reserves one call, or says when to come back and why. One statement in a transaction of its own, never in a longer one: reservers of
-- one meter take turns for as long as its last part lasts.
--
-- All that counts is read before the meter's lock is taken. Under the lock, which is held for one INSERT, what was granted since that
-- reading is added, by the numbers of the grants; only where it tips the balance is all read again. A refusal is always read under
-- the lock, so that turns are given one after the other.
--
-- A job that has to wait is given a turn (quota_waiters): the moment at which, by what is known now, there will be room for everyone
-- before it and for itself; beyond one window, a limit's breadth after the last. For ten seconds from that moment its room is kept
-- from those of its class who come later; batch work also yields to the turns of interactive work.
CREATE FUNCTION quota_reserve(
    p_provider text, p_key text, p_model text, p_zone text, p_reservation uuid, p_job uuid, p_place uuid,
    p_interactive boolean, p_tokens bigint, p_cost numeric, p_budget numeric,
    p_requests_minute integer, p_tokens_minute bigint, p_requests_day integer, p_tokens_day bigint, p_share double precision,
    p_window interval, p_margin interval, p_lease interval,
    OUT verdict text, OUT meter_id integer, OUT tokens bigint, OUT seconds double precision, OUT reason text, OUT code text,
    OUT detail text)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '1s' AS $$
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

-- Marks a reservation as sent, counted from now; false when it may not be sent: its lease is over, or somebody closed the way.
CREATE FUNCTION quota_send(p_reservation uuid, p_window interval) RETURNS boolean
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '1s' AS $$   -- with the two seconds for which a reservation counts beyond its lease, no reserver misses a late commit
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

-- Takes a reservation back that its owner knows was not sent, marked or not. False when there is nothing to take back.
CREATE FUNCTION quota_give_back(p_reservation uuid, p_window interval) RETURNS boolean
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
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

-- Writes what a sent call took: the usage row, the month's money, and that it is settled, in one flushed transaction that touches
-- nothing others wait for. What the caller has still to correct in the counts comes back. Once a reservation: later calls change
-- nothing. A reservation that a crash has lost, whole or its mark, is charged in full.
CREATE FUNCTION quota_settle(
    p_reservation uuid, p_meter integer, p_interactive boolean, p_estimate bigint, p_estimated_cost numeric, p_job uuid, p_place uuid,
    p_outcome text, p_tokens bigint, p_input integer, p_output integer, p_cost numeric, p_milliseconds integer)
RETURNS TABLE (settled boolean, sent_at timestamptz, requests integer, tokens bigint)
LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
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

-- Closes a model, or with '*' the whole key, for p_seconds; without, until the vendor's day is over: in its first two minutes a refusal
-- for the day is about the day before. A later end stands.
CREATE FUNCTION quota_close(p_provider text, p_key text, p_model text, p_zone text, p_seconds double precision,
                            p_code text, p_detail text, p_margin interval) RETURNS timestamptz
LANGUAGE sql AS $$
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

-- One batch of what is over. A sent call that outlived every sandbox is written down as unknown, at its estimate: its money may be
-- spent. The table is read from its beginning: all it holds is under way or about to be deleted.
CREATE FUNCTION quota_prune(p_longest interval, p_window interval, p_margin interval, p_batch integer)
RETURNS TABLE (unknown integer, removed integer)
LANGUAGE plpgsql SET jit = off AS $$
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
