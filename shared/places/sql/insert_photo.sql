-- A rival with the same source or the same uploaded bytes is met by the unique indexes.
INSERT INTO photos (place_id, channel, source_url, position, confirmed, media_key, sha256, content_type, width,
                    height, bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT DO NOTHING
RETURNING photo_id, place_id, channel, source_url, media_key, sha256, content_type, width, height, bytes, position,
          confirmed, problem, measures::text AS measures, vision::text AS vision, rank, duplicate_of
