-- Rides on the primary key.
UPDATE sites SET unpublished_at = now(), content_hash = NULL
 WHERE place_id = $1 AND unpublished_at IS NULL
RETURNING slug
