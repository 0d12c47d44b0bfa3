-- What collecting again, and collecting for many places at once, has to remember.

ALTER TABLE facts
    ADD COLUMN first_seen_at timestamptz,
    ADD COLUMN confirmed_at  timestamptz,   -- when it was last confirmed: what was said against it before is settled
    ADD COLUMN missing_since timestamptz;   -- confirmed; its source was read whole since and says it no more
UPDATE facts SET first_seen_at = collected_at, confirmed_at = CASE WHEN confirmed THEN updated_at END;
ALTER TABLE facts
    ALTER COLUMN first_seen_at SET DEFAULT now(),
    ALTER COLUMN first_seen_at SET NOT NULL;

ALTER TABLE places
    ADD COLUMN collected_at   timestamptz,                        -- when its channels were last asked to the end
    ADD COLUMN recollect_from timestamptz NOT NULL DEFAULT now(); -- from when its next collection is counted
CREATE INDEX places_by_collection ON places (recollect_from) WHERE deleted_at IS NULL;

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
