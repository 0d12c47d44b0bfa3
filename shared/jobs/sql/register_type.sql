-- A type's first row; later changes of the settings are the operator's.
INSERT INTO job_type_settings (job_type, name, max_in_flight) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
