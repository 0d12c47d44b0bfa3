-- Pages that stand, and those of them that another version of the template made.
SELECT count(*) AS published,
       count(*) FILTER (WHERE s.render_version IS DISTINCT FROM $1) AS behind
  FROM sites s JOIN places p USING (place_id)
 WHERE s.content_hash IS NOT NULL AND s.unpublished_at IS NULL AND p.deleted_at IS NULL
