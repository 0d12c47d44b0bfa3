INSERT INTO quota_limits (provider, model, requests_minute, tokens_minute, requests_day, tokens_day, reserved_share)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (provider, model) DO UPDATE
   SET requests_minute = EXCLUDED.requests_minute, tokens_minute = EXCLUDED.tokens_minute, requests_day = EXCLUDED.requests_day,
       tokens_day = EXCLUDED.tokens_day, reserved_share = EXCLUDED.reserved_share, updated_at = now()
