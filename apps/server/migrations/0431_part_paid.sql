-- The few cancelled receipts that were paid in part: their merchant is asked about the money.
CREATE INDEX receipt_part_paid ON receipt (merchant) WHERE payment ->> 'state' = 'short' AND standing = 'cancelled';

-- What was credited to receipts that are paid in part, in cents: it can be refunded.
UPDATE receipt AS r SET payment = r.payment || jsonb_build_object('creditedCents', worth.cents)
  FROM (
    SELECT merchant, receipt_id, trunc(sum(amount * rate_e8
      * 10::numeric ^ (18 - CASE token WHEN 'ETH' THEN 18 WHEN 'cbBTC' THEN 8 ELSE 6 END)) / 10::numeric ^ 24)::bigint AS cents
    FROM payment WHERE state = 'credited' GROUP BY merchant, receipt_id) AS worth
  WHERE worth.merchant = r.merchant AND worth.receipt_id = r.id AND r.payment ->> 'state' = 'short' AND worth.cents > 0;
