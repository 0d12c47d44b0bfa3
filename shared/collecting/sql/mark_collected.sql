-- Called under the place's lock, in the transaction that stores what was collected.
UPDATE places SET collected_at = now(), recollect_from = now() WHERE place_id = $1
