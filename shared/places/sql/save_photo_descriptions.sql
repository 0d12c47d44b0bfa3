-- What a model said of some photos of a place, kept beside what stood there; ranks and page are left alone.
-- The subquery locks in the order of the ids, as the writer of all photos does.
WITH said AS (
    SELECT * FROM unnest($2::uuid[], $3::text[]) AS s (photo_id, vision)
), held AS MATERIALIZED (
    SELECT p.photo_id FROM photos p
     WHERE p.place_id = $1 AND p.photo_id = ANY ($2::uuid[])
     ORDER BY p.photo_id
       FOR NO KEY UPDATE
)
UPDATE photos p
   SET vision = coalesce(p.vision, '{}'::jsonb) || s.vision::jsonb, updated_at = now()
  FROM said s JOIN held h USING (photo_id)
 WHERE p.photo_id = s.photo_id
