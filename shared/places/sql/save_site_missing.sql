-- Rides on the primary key. A page already published stays; it is BUILD that takes one down.
UPDATE sites SET missing = $2::text[] WHERE place_id = $1
