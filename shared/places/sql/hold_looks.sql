-- Rides on jobs_of_place. FOR SHARE keeps a waiting VISION from being claimed until the photo it is to see has committed.
SELECT job_id, status
  FROM jobs
 WHERE place_id = $1 AND job_type = $2 AND status IN (1, 2)
 ORDER BY job_id
   FOR SHARE
