-- A graph's jobs in the order they can run in: what waits on fewer comes first.
SELECT j.* FROM jobs j WHERE j.graph_id = $1
 ORDER BY j.ends_graph, (SELECT count(*) FROM job_dependencies d WHERE d.job_id = j.job_id), j.job_type
