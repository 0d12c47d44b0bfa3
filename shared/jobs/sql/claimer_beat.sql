-- Before it claims: from here on a new job needs a new wake.
UPDATE beats SET seen_at = now(), woken_at = NULL WHERE name = 'claimer'
