-- What the run notes beside the queue. The triggers write in the transaction of what they note, so nothing is noted that was
-- not committed, and nothing committed goes unnoted.

CREATE TABLE chaos_starts (job_id uuid NOT NULL, worker_id uuid NOT NULL, attempt integer NOT NULL);
-- No key: only the fence keeps a second row out.
CREATE TABLE chaos_ledger (job_id uuid NOT NULL, worker_id uuid NOT NULL, attempt integer NOT NULL);
CREATE INDEX ON chaos_ledger (job_id);
CREATE TABLE chaos_requeued (job_id uuid PRIMARY KEY);

-- Of each job its statuses in order, who held it then, and its starts. A row's own lock orders nth.
CREATE TABLE chaos_changes (
    nth bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_id uuid NOT NULL, worker_id uuid, attempt integer,
    old smallint, new smallint NOT NULL, error text);
CREATE INDEX ON chaos_changes (new) WHERE new = 4;
CREATE FUNCTION chaos_note_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO chaos_changes (job_id, new) VALUES (NEW.job_id, NEW.status);
    ELSIF OLD.status = 2 AND NEW.status = 2 THEN
        IF OLD.worker_id <> NEW.worker_id OR OLD.attempts <> NEW.attempts
           OR (NEW.run_started_at IS NOT NULL AND OLD.run_started_at IS DISTINCT FROM NEW.run_started_at) THEN
            INSERT INTO chaos_changes (job_id, worker_id, attempt, old, new) VALUES (NEW.job_id, NEW.worker_id, NEW.attempts, 2, 2);
        END IF;
    ELSIF OLD.status <> NEW.status THEN
        INSERT INTO chaos_changes (job_id, worker_id, attempt, old, new, error)
        VALUES (NEW.job_id, coalesce(NEW.worker_id, OLD.worker_id), greatest(NEW.attempts, OLD.attempts), OLD.status, NEW.status,
                NEW.last_error);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER chaos_note AFTER INSERT OR UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION chaos_note_job();

-- A handler's effect must be written by who holds the job at that moment.
CREATE FUNCTION chaos_check_effect() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM jobs WHERE job_id = NEW.job_id AND worker_id = NEW.worker_id AND attempts = NEW.attempt
                      AND status = 2) THEN
        RAISE 'an effect of job % by worker %, who does not hold it', NEW.job_id, NEW.worker_id;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER chaos_check BEFORE INSERT ON chaos_ledger FOR EACH ROW EXECUTE FUNCTION chaos_check_effect();

-- Which claim of which flusher took an alert, and which marked it as posted.
CREATE TABLE chaos_posts (alert_id uuid NOT NULL, kind text NOT NULL, token uuid NOT NULL, sent boolean NOT NULL);
CREATE FUNCTION chaos_note_alert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.lease_token IS NOT NULL AND NEW.lease_token IS DISTINCT FROM OLD.lease_token THEN
        INSERT INTO chaos_posts VALUES (NEW.alert_id, NEW.kind, NEW.lease_token, false);
    ELSIF NEW.sent_at IS DISTINCT FROM OLD.sent_at THEN
        INSERT INTO chaos_posts VALUES (NEW.alert_id, NEW.kind, OLD.lease_token, true);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER chaos_note AFTER UPDATE ON alert_outbox FOR EACH ROW EXECUTE FUNCTION chaos_note_alert();
