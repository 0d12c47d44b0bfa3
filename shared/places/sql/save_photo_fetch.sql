-- Rides on the primary key. Other bytes than before make what was seen in the old ones void.
UPDATE photos
   SET measures     = CASE WHEN sha256 IS NOT DISTINCT FROM $3 THEN measures END,
       vision       = CASE WHEN sha256 IS NOT DISTINCT FROM $3 THEN vision END,
       rank         = CASE WHEN sha256 IS NOT DISTINCT FROM $3 THEN rank END,
       duplicate_of = CASE WHEN sha256 IS NOT DISTINCT FROM $3 THEN duplicate_of END,
       media_key = $2, sha256 = $3, content_type = $4, width = $5, height = $6, bytes = $7, problem = NULL,
       updated_at = now()
 WHERE photo_id = $1
