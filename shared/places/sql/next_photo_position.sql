-- Rides on photos_of_place.
SELECT coalesce(max(position) + 1, 0) FROM photos WHERE place_id = $1
