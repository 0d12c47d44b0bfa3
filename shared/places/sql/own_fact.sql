-- Called under the place's lock: its source has taken it back, the owner keeps it as a word of their own.
UPDATE facts
   SET channel = 'owner', source_url = NULL, confidence = 1, missing_since = NULL, updated_at = now()
 WHERE fact_id = $1
