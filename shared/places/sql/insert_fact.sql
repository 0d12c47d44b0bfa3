-- Called under the place's lock.
INSERT INTO facts (place_id, key, value, channel, source_url, confidence, storable, disagrees)
VALUES ($1, $2, $3::text::jsonb, $4, $5, $6, $3::text IS NOT NULL, $3::text IS NULL)
RETURNING fact_id, place_id, key, value::text AS value, channel, source_url, confidence, confirmed, confirmed_by,
          rejected_at, storable, disagrees, collected_at
