-- Rides on the primary key. No lock.
SELECT place_id, owner_id, name, locale, region_code, aliases, accept_website, facts_version, page_version,
       created_at, updated_at, deleted_at, collected_at
  FROM places
 WHERE place_id = $1 AND deleted_at IS NULL
