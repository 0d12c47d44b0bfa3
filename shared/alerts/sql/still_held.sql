-- Read without a lock: it only spares a post that somebody else may be making; the mark afterwards is what decides.
SELECT alert_id FROM alert_outbox
 WHERE alert_id = ANY ($1::uuid[]) AND lease_token = $2 AND status = 1 AND lease_until > now() + make_interval(secs => $3)
