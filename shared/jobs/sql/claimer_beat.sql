-- Before it claims: from here on a new job needs a new wake. Passed over while somebody keeps the row: a waker is about to invoke
-- another claimer, another claimer is about to claim, and anybody else must not hold up the queue.
UPDATE beats SET seen_at = now(), woken_at = NULL
 WHERE name = (SELECT b.name FROM beats b WHERE b.name = 'claimer' FOR UPDATE SKIP LOCKED)
