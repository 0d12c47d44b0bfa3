-- Rides on places_one_identity. Called under the owner's lock; the strongest identity comes first in $2.
SELECT place_id
  FROM places
 WHERE owner_id = $1 AND identity_key = ANY ($2::text[]) AND deleted_at IS NULL
 ORDER BY array_position($2::text[], identity_key)
 LIMIT 1
