-- One statement for a job's answers: rows come as one JSON array.
INSERT INTO ai_checks (place_id, job_id, engine, model, locale, question, question_version, sample, mentioned,
                       own_page_cited, own_page_retrieved, owned_listing_cited, accuracy, competitors, error,
                       evidence, cost_usd)
SELECT $1, $2, r.engine, r.model, r.locale, r.question, r.question_version, r.sample, r.mentioned,
       r.own_page_cited, r.own_page_retrieved, r.owned_listing_cited, nullif(r.accuracy, 'null'),
       nullif(r.competitors, 'null'), r.error, nullif(r.evidence, 'null'), r.cost_usd
  FROM jsonb_to_recordset($3::text::jsonb)
       AS r (engine text, model text, locale text, question text, question_version text, sample int,
             mentioned boolean, own_page_cited boolean, own_page_retrieved boolean, owned_listing_cited boolean,
             accuracy jsonb, competitors jsonb, error text, evidence jsonb, cost_usd numeric)
