-- Rides on sites_slug_key: inserts nothing when the slug is taken, also by a rival meanwhile; the caller tries another.
INSERT INTO sites (place_id, slug) VALUES ($1, $2)
ON CONFLICT DO NOTHING
RETURNING slug
