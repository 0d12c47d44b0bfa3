-- One statement, so that version and facts are of one snapshot. Rides on facts_one_confirmed_a_key.
SELECT p.facts_version, f.fact_id, f.place_id, f.key, f.value::text AS value, f.channel, f.source_url, f.confidence,
       f.confirmed, f.confirmed_by, f.rejected_at, f.storable, f.disagrees, f.first_seen_at, f.collected_at,
       f.confirmed_at, f.missing_since
  FROM places p
  LEFT JOIN facts f ON f.place_id = p.place_id AND f.confirmed
 WHERE p.place_id = $1
 ORDER BY f.key
