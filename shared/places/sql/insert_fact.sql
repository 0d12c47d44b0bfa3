-- Called under the place's lock. $7: the owner refused this value before, whoever said it.
INSERT INTO facts (place_id, key, value, channel, source_url, confidence, storable, disagrees, rejected_at)
VALUES ($1, $2, $3::text::jsonb, $4, $5, $6, $3::text IS NOT NULL, $3::text IS NULL, CASE WHEN $7 THEN now() END)
RETURNING fact_id, place_id, key, value::text AS value, channel, source_url, confidence, confirmed, confirmed_by,
          rejected_at, storable, disagrees, first_seen_at, collected_at, confirmed_at, missing_since
