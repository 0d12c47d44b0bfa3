-- The facts of keys in which something may wait for the owner: the confirmed one is missing, or is not alone. One statement
-- for a page of places; rides on facts_one_confirmed_a_key and facts_one_row_a_statement.
SELECT f.fact_id, f.place_id, f.key, f.value::text AS value, f.channel, f.source_url, f.confidence, f.confirmed,
       f.confirmed_by, f.rejected_at, f.storable, f.disagrees, f.first_seen_at, f.collected_at, f.confirmed_at,
       f.missing_since
  FROM facts s
  JOIN facts f ON f.place_id = s.place_id AND f.key = s.key
 WHERE s.place_id = ANY ($1::uuid[]) AND s.confirmed
   AND (s.missing_since IS NOT NULL
        OR EXISTS (SELECT FROM facts o WHERE o.place_id = s.place_id AND o.key = s.key AND o.fact_id <> s.fact_id))
 ORDER BY f.place_id, f.key
