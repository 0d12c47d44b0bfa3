-- Rides on ai_checks_of_place, newest first.
SELECT engine, model, locale, question, question_version, sample, mentioned, own_page_cited, own_page_retrieved,
       owned_listing_cited, accuracy::text AS accuracy, competitors::text AS competitors, error,
       evidence::text AS evidence, cost_usd::float8 AS cost_usd
  FROM ai_checks
 WHERE place_id = $1
 ORDER BY asked_at DESC, check_id
 LIMIT $2
