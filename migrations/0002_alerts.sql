-- The alert outbox: written in the transaction of what it tells, posted by the alert flusher.

CREATE TABLE alert_outbox (
    alert_id        uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    kind            text NOT NULL,
    title           text NOT NULL CHECK (length(title) <= 300),
    detail          jsonb NOT NULL DEFAULT '{}',
    dedupe_key      text NOT NULL,
    open            boolean NOT NULL DEFAULT true,   -- further events of the key are counted here
    window_until    timestamptz NOT NULL DEFAULT now() + interval '1 hour',
    occurrences     integer NOT NULL DEFAULT 1 CHECK (occurrences > 0),
    posted          integer NOT NULL DEFAULT 0 CHECK (posted >= 0),   -- occurrences the last post told of
    status          smallint NOT NULL DEFAULT 1 CHECK (status IN (1, 2, 3)),
    attempts        integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    lease_until     timestamptz,
    lease_token     uuid,
    held            boolean NOT NULL DEFAULT false,  -- the receiver asked to be left alone until next_attempt_at
    last_error      text CHECK (length(last_error) <= 2000),
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    sent_at         timestamptz
);
COMMENT ON COLUMN alert_outbox.status IS '1 WAITING (to be posted, or posted again), 2 SENT, 3 DEAD (the receiver refused it)';

CREATE UNIQUE INDEX alert_outbox_one_open ON alert_outbox (dedupe_key) WHERE open;
CREATE INDEX alert_outbox_due ON alert_outbox (next_attempt_at) WHERE status = 1;
CREATE INDEX alert_outbox_held ON alert_outbox (next_attempt_at) WHERE held;
CREATE INDEX alert_outbox_refused ON alert_outbox (created_at) WHERE status = 3;
CREATE INDEX alert_outbox_newest ON alert_outbox (created_at);

-- Counts one event: on the key's open row while its window lasts, else on a new row.
-- Closing an overdue row first and then upserting needs no lock beyond the rows': a rival's row is met by ON CONFLICT.
CREATE FUNCTION alert_raise(p_kind text, p_title text, p_detail jsonb, p_key text, p_window interval) RETURNS uuid
LANGUAGE plpgsql AS $$
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
