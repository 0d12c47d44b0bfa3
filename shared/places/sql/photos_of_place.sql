-- Rides on photos_of_place.
SELECT photo_id, place_id, channel, source_url, media_key, sha256, content_type, width, height, bytes, position,
       confirmed, problem, measures::text AS measures, vision::text AS vision, rank, duplicate_of
  FROM photos
 WHERE place_id = $1
 ORDER BY rank NULLS LAST, position, created_at, photo_id
