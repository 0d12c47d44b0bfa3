-- The queue. Every time in it is the database's own clock.

CREATE TABLE job_type_settings (
    job_type      smallint PRIMARY KEY,
    name          text NOT NULL UNIQUE,
    paused        boolean NOT NULL DEFAULT false,
    max_in_flight integer CHECK (max_in_flight >= 0)   -- NULL: no limit
);
COMMENT ON TABLE job_type_settings IS
    'What may change without a deployment; rows come from the registered types. A claim locks the rows of the types it takes from, which is what holds max_in_flight.';

CREATE TABLE jobs (
    job_id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    place_id            uuid,
    graph_id            uuid,
    ends_graph          boolean NOT NULL DEFAULT false,
    job_type            smallint NOT NULL,
    status              smallint NOT NULL DEFAULT 1,
    priority            smallint NOT NULL DEFAULT 100,
    payload             jsonb NOT NULL DEFAULT '{}',
    result              jsonb,
    progress            jsonb,
    dedupe_key          text,
    attempts            integer NOT NULL DEFAULT 0,
    max_attempts        integer NOT NULL DEFAULT 3,
    worker_id           uuid,
    lease_until         timestamptz,
    run_after           timestamptz NOT NULL DEFAULT now(),
    claimed_at          timestamptz,
    run_started_at      timestamptz,
    invocation_id       text,
    finished_at         timestamptz,
    cancel_requested_at timestamptz,
    first_snoozed_at    timestamptz,
    snoozes             integer NOT NULL DEFAULT 0,
    releases            integer NOT NULL DEFAULT 0,   -- claims given back because the handler could not be invoked
    unstarted           integer NOT NULL DEFAULT 0,   -- claims given back because no handler ever started them
    acknowledged_at     timestamptz,                  -- a person has seen this DEAD job: it may be pruned
    last_error          text,
    waiting_on          integer NOT NULL DEFAULT 0,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),

    CONSTRAINT jobs_status_known       CHECK (status BETWEEN 1 AND 5),
    CONSTRAINT jobs_pending_is_free    CHECK (status <> 1 OR (worker_id IS NULL AND lease_until IS NULL AND finished_at IS NULL
                                              AND cancel_requested_at IS NULL AND run_started_at IS NULL)),
    CONSTRAINT jobs_running_is_held    CHECK (status <> 2 OR (worker_id IS NOT NULL AND lease_until IS NOT NULL
                                              AND claimed_at IS NOT NULL AND finished_at IS NULL AND attempts > 0 AND waiting_on = 0)),
    CONSTRAINT jobs_finished_is_over   CHECK (status < 3 OR (worker_id IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL)),
    CONSTRAINT jobs_done_has_result    CHECK (status <> 3 OR result IS NOT NULL),
    CONSTRAINT jobs_dead_says_why      CHECK (status <> 4 OR last_error IS NOT NULL),
    CONSTRAINT jobs_attempts_bounded   CHECK (attempts >= 0 AND max_attempts BETWEEN 1 AND 100 AND attempts <= max_attempts
                                              AND (status <> 1 OR attempts < max_attempts)),
    -- Not infinite, and such as every driver can read.
    CONSTRAINT jobs_times_are_days     CHECK (least(run_after, created_at, updated_at, claimed_at, run_started_at, lease_until, finished_at,
                                                    first_snoozed_at, cancel_requested_at, acknowledged_at) >= '2000-01-01Z'
                                              AND greatest(run_after, created_at, updated_at, claimed_at, run_started_at, lease_until,
                                                    finished_at, first_snoozed_at, cancel_requested_at, acknowledged_at) <= '9000-01-01Z'),
    CONSTRAINT jobs_id_is_not_nil      CHECK (job_id <> '00000000-0000-0000-0000-000000000000'),   -- pages of rows begin after it
    CONSTRAINT jobs_waiting_not_below  CHECK (waiting_on >= 0),
    CONSTRAINT jobs_priority_range     CHECK (priority BETWEEN 0 AND 1000),
    CONSTRAINT jobs_error_bounded      CHECK (length(last_error) <= 2000),
    CONSTRAINT jobs_graph_has_place    CHECK (NOT ends_graph OR (graph_id IS NOT NULL AND place_id IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Room in each page for the versions that a claim, a start and heartbeats make of its rows: those of start and heartbeats then touch
-- no index.
COMMENT ON COLUMN jobs.status IS '1 PENDING, 2 RUNNING, 3 DONE, 4 DEAD, 5 CANCELLED; active means 1 or 2';
COMMENT ON COLUMN jobs.ends_graph IS 'The one job of a graph that waits, directly or not, on all the others: the graph is active while it is';

-- Walked by claim(): one range a (type, priority), so that neither delayed nor waiting rows stand in its way.
CREATE INDEX jobs_ready ON jobs (job_type, priority, run_after) WHERE status = 1 AND waiting_on = 0;
-- Counted by claim() for max_in_flight, walked by the reaper; holds only what runs. The lease is not in it, so that a
-- heartbeat updates no index.
CREATE INDEX jobs_running ON jobs (job_type) WHERE status = 2;
CREATE UNIQUE INDEX jobs_one_active_a_key ON jobs (dedupe_key) WHERE status IN (1, 2) AND dedupe_key IS NOT NULL;
CREATE UNIQUE INDEX jobs_one_graph_a_place ON jobs (place_id) WHERE ends_graph AND status IN (1, 2);
CREATE INDEX jobs_newest_of_key ON jobs (dedupe_key, created_at) WHERE dedupe_key IS NOT NULL;
CREATE INDEX jobs_of_place ON jobs (place_id, created_at) WHERE place_id IS NOT NULL;
CREATE INDEX jobs_of_graph ON jobs (graph_id) WHERE graph_id IS NOT NULL;
CREATE INDEX jobs_waiting ON jobs (job_id) WHERE status = 1 AND waiting_on > 0;
-- Retention and counts walk these; the claim never reads them.
CREATE INDEX jobs_over ON jobs (status, finished_at) WHERE status IN (3, 5);
CREATE INDEX jobs_dead ON jobs (finished_at) WHERE status = 4;
-- Retention's own: deaths nobody looked at may be many and are never pruned.
CREATE INDEX jobs_acknowledged ON jobs (finished_at) WHERE status = 4 AND acknowledged_at IS NOT NULL;

CREATE TABLE job_dependencies (
    job_id     uuid NOT NULL REFERENCES jobs ON DELETE CASCADE,
    depends_on uuid NOT NULL,   -- no foreign key: a settled edge outlives the row it points at
    required   boolean NOT NULL DEFAULT false,
    settled_at timestamptz,
    killed_by  uuid,            -- the root whose death or cancellation ended job_id through this edge
    PRIMARY KEY (job_id, depends_on),
    CONSTRAINT job_dependencies_no_loop CHECK (job_id <> depends_on)
);
CREATE INDEX job_dependencies_open ON job_dependencies (depends_on) WHERE settled_at IS NULL;
CREATE INDEX job_dependencies_killed ON job_dependencies (depends_on) WHERE killed_by IS NOT NULL;

CREATE TABLE job_attempts (
    job_id         uuid NOT NULL REFERENCES jobs ON DELETE CASCADE,
    worker_id      uuid NOT NULL,
    attempt        integer NOT NULL,
    invocation_id  text,
    claimed_at     timestamptz,
    run_started_at timestamptz,
    ended_at       timestamptz NOT NULL DEFAULT now(),
    outcome        text NOT NULL CHECK (outcome IN ('failed', 'dead', 'lease_expired', 'given_back', 'cancelled')),
    error          text CHECK (length(error) <= 2000),
    PRIMARY KEY (job_id, worker_id)
);
CREATE INDEX job_attempts_newest ON job_attempts (ended_at);
COMMENT ON TABLE job_attempts IS 'Every attempt that did not end DONE; a snooze is counted on the job and leaves no row';

CREATE TABLE beats (
    name     text PRIMARY KEY,
    seen_at  timestamptz NOT NULL DEFAULT now(),
    woken_at timestamptz,   -- claimer only: an Invoke is under way that has not claimed yet
    since    timestamptz NOT NULL DEFAULT '-infinity',   -- a watcher only: when it came back after a break, if there was one
    detail   jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO beats (name, seen_at) VALUES ('claimer', '-infinity'), ('reaper', '-infinity'), ('alert_flusher', '-infinity');
