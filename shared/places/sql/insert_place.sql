-- Called under the owner's lock, after find_same_place found none.
INSERT INTO places (owner_id, name, locale, region_code, aliases, accept_website, identity_key)
VALUES ($1, $2, $3, $4, $5::text[], $6, $7)
RETURNING place_id
