-- changed_at is the sitemap's lastmod: it moves with the content alone. An unpublished page that comes back changes.
WITH before AS (
    SELECT place_id, content_hash, unpublished_at FROM sites WHERE place_id = $1 FOR NO KEY UPDATE
)
UPDATE sites s
   SET content_hash = $2, render_version = $3, page_version = $4, missing = NULL, unpublished_at = NULL,
       published_at = coalesce(s.published_at, now()),
       changed_at = CASE WHEN b.content_hash IS DISTINCT FROM $2 OR b.unpublished_at IS NOT NULL
                         THEN now() ELSE s.changed_at END
  FROM before b
 WHERE s.place_id = b.place_id
RETURNING b.content_hash IS DISTINCT FROM $2 OR b.unpublished_at IS NOT NULL AS changed
