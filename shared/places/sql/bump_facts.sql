-- Called under the place's lock: a confirmed value is another than before.
UPDATE places
   SET facts_version = facts_version + 1, page_version = page_version + 1, updated_at = now()
 WHERE place_id = $1
RETURNING facts_version
