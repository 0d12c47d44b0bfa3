-- What collecting again, and collecting for many places at once, has to remember.

-- The source was read whole since and says this no more: a proposal to the owner, not a change.
ALTER TABLE facts ADD COLUMN missing_since timestamptz;

ALTER TABLE places ADD COLUMN collected_at timestamptz;   -- when its channels were last asked to the end; NULL: never
CREATE INDEX places_by_collection ON places (collected_at) WHERE deleted_at IS NULL AND collected_at IS NOT NULL;

-- When a vendor may be asked next, across all sandboxes.
CREATE TABLE channel_pace (
    channel      text PRIMARY KEY,
    next_at      timestamptz NOT NULL DEFAULT now(),   -- the next free turn
    closed_until timestamptz,                          -- the vendor refused everybody until then
    closed_code  text,                                 -- and why: a diagnostic code
    CONSTRAINT channel_pace_closed_says_why CHECK ((closed_until IS NULL) = (closed_code IS NULL))
) WITH (fillfactor = 50);

-- How each channel went, place by place, for a look across places; pruned after days.
CREATE TABLE channel_outcomes (
    outcome_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked_at   timestamptz NOT NULL DEFAULT now(),
    place_id   uuid NOT NULL,
    channel    text NOT NULL,
    outcome    text NOT NULL CHECK (outcome IN ('ok', 'empty', 'skipped', 'failed', 'partial')),
    code       text
);
CREATE INDEX channel_outcomes_by_time ON channel_outcomes (asked_at);
