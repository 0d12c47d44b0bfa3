-- Called under the place's lock: confirmed values that their source, read whole, says no more.
UPDATE facts SET missing_since = now(), updated_at = now()
 WHERE fact_id = ANY ($1::uuid[]) AND missing_since IS NULL
RETURNING fact_id, missing_since
