-- Rides on the primary key.
SELECT place_id, slug, content_hash, render_version, page_version, published_at, changed_at, unpublished_at, missing
  FROM sites
 WHERE place_id = ANY ($1::uuid[])
