-- Places whose collection is older than $1 seconds, or that were last looked at so long ago, the oldest first, with whether
-- a page of theirs stands. Rides on places_by_collection and sites' primary key; takes no lock.
SELECT p.place_id, s.content_hash IS NOT NULL AND s.unpublished_at IS NULL AS published
  FROM places p
  LEFT JOIN sites s USING (place_id)
 WHERE p.deleted_at IS NULL AND p.recollect_from < now() - make_interval(secs => $1::float8)
 ORDER BY p.recollect_from
 LIMIT $2
