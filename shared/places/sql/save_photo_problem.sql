-- Rides on the primary key. Bytes fetched earlier stay.
UPDATE photos SET problem = left($2, 500), updated_at = now() WHERE photo_id = $1
