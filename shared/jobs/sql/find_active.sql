SELECT * FROM jobs WHERE dedupe_key = $1 AND status IN (1, 2)
