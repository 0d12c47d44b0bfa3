-- Called under the place's lock: statements their own source has replaced.
DELETE FROM facts WHERE fact_id = ANY ($1::uuid[])
