-- Rides on facts_one_row_a_statement. Ordered for people: by key, the confirmed one first.
SELECT fact_id, place_id, key, value::text AS value, channel, source_url, confidence, confirmed, confirmed_by,
       rejected_at, storable, disagrees, first_seen_at, collected_at, confirmed_at, missing_since
  FROM facts
 WHERE place_id = $1
 ORDER BY key, confirmed DESC, channel, collected_at, fact_id
