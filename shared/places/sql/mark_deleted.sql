-- Called after the place's jobs were locked and cancelled.
UPDATE places SET deleted_at = now(), updated_at = now()
 WHERE place_id = $1 AND deleted_at IS NULL
RETURNING place_id
