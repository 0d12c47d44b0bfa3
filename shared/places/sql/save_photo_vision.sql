-- One statement for all photos of a place; rows of other places are not touched, whatever their ids.
-- The subquery locks in the order of the ids, so that two writers never wait on each other crosswise.
WITH seen AS (
    SELECT *
      FROM unnest($2::uuid[], $3::text[], $4::text[], $5::int[], $6::uuid[])
           AS s (photo_id, measures, vision, rank, duplicate_of)
), held AS MATERIALIZED (
    SELECT p.photo_id FROM photos p
     WHERE p.place_id = $1 AND p.photo_id = ANY ($2::uuid[])
     ORDER BY p.photo_id
       FOR NO KEY UPDATE
)
UPDATE photos p
   SET measures = coalesce(s.measures::jsonb, p.measures), vision = coalesce(s.vision::jsonb, p.vision),
       rank = s.rank, duplicate_of = s.duplicate_of, updated_at = now()
  FROM seen s JOIN held h USING (photo_id)
 WHERE p.photo_id = s.photo_id
