-- The sitemap: every page that stands, in a stable order.
SELECT s.slug, s.changed_at, p.locale
  FROM sites s JOIN places p USING (place_id)
 WHERE s.content_hash IS NOT NULL AND s.unpublished_at IS NULL AND p.deleted_at IS NULL
 ORDER BY s.slug
