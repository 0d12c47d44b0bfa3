-- One statement for all channels of a collection. Append only; nothing reads it by place.
INSERT INTO channel_outcomes (place_id, channel, outcome, code)
SELECT $1, o.channel, o.outcome, o.code
  FROM unnest($2::text[], $3::text[], $4::text[]) AS o (channel, outcome, code)
