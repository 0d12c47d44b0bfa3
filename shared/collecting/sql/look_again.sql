-- The place's next collection is counted from $2 seconds ago. No row when it was deleted meanwhile. Locks the place, so it
-- comes after whatever locks its jobs.
UPDATE places SET recollect_from = now() - make_interval(secs => $2::float8)
 WHERE place_id = $1 AND deleted_at IS NULL
RETURNING place_id
