-- Something a page shows has changed, its confirmed facts have not. The row's own lock orders rivals.
UPDATE places SET page_version = page_version + 1, updated_at = now()
 WHERE place_id = $1
RETURNING page_version
