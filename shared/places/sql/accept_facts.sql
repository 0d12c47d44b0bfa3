-- Called under the place's lock: what was rejected is the owner's word now, whoever says it.
UPDATE facts SET rejected_at = NULL, updated_at = now()
 WHERE fact_id = ANY ($1::uuid[])
