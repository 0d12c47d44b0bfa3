-- Called under the place's lock. A rejected statement stays, so that its source saying it again changes nothing.
UPDATE facts
   SET confirmed = false, confirmed_by = NULL, confirmed_at = NULL, missing_since = NULL, rejected_at = now(),
       updated_at = now()
 WHERE fact_id = ANY ($1::uuid[])
