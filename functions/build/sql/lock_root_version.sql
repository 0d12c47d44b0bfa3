-- Locks the row, so that the version and the pages read after it in this transaction belong together.
INSERT INTO site_roots (name, version) VALUES ($1, 1)
ON CONFLICT (name) DO UPDATE SET version = site_roots.version
RETURNING version
