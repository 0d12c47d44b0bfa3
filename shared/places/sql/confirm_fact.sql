-- Called under the place's lock, after the key's earlier confirmation was taken back.
UPDATE facts
   SET confirmed = true, confirmed_by = $2, confirmed_at = now(), rejected_at = NULL, updated_at = now()
 WHERE fact_id = $1
RETURNING confirmed_at
