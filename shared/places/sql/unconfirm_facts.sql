-- Called under the place's lock, before confirm_fact: one confirmed value a key.
UPDATE facts SET confirmed = false, confirmed_by = NULL, confirmed_at = NULL, updated_at = now()
 WHERE fact_id = ANY ($1::uuid[])
