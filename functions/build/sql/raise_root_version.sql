-- Rides on the primary key. The row's lock puts publishing transactions in an order; each is short.
INSERT INTO site_roots (name, version) VALUES ($1, 1)
ON CONFLICT (name) DO UPDATE SET version = site_roots.version + 1, content_hash = NULL
