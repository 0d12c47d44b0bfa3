-- The first statement of everything a holder writes: the row, if it is still this ref's.
SELECT job_hold($1, $2, $3)
