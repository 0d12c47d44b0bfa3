-- Called under the place's lock: one current copy a place.
UPDATE copies SET current = false WHERE place_id = $1 AND current
