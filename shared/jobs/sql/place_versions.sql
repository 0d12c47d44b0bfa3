-- Kept from moving until the completion that asks has committed. No row for a deleted place.
SELECT facts_version, page_version FROM places WHERE place_id = $1 AND deleted_at IS NULL FOR SHARE
