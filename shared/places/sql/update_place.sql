-- Called under the place's lock. NULL leaves a column as it is.
UPDATE places
   SET name           = coalesce($2, name),
       locale         = coalesce($3, locale),
       aliases        = coalesce($4::text[], aliases),
       accept_website = coalesce($5, accept_website),
       region_code    = coalesce($6, region_code),
       updated_at     = now()
 WHERE place_id = $1
