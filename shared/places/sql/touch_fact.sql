-- Called under the place's lock: a source said again what it had said.
UPDATE facts
   SET collected_at = now(), updated_at = now(), source_url = coalesce($2, source_url), confidence = $3,
       missing_since = NULL
 WHERE fact_id = $1
RETURNING collected_at
