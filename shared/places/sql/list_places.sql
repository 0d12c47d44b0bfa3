-- Rides on places_of_owner, newest first, walked backwards from the last page's end ($2, $3). $1 NULL: every owner's.
SELECT place_id, owner_id, name, locale, region_code, aliases, accept_website, facts_version, page_version,
       created_at, updated_at, deleted_at, collected_at
  FROM places
 WHERE ($1::uuid IS NULL OR owner_id = $1)
   AND deleted_at IS NULL
   AND ($2::timestamptz IS NULL OR (created_at, place_id) < ($2, $3::uuid))
 ORDER BY created_at DESC, place_id DESC
 LIMIT $4
