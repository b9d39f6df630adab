-- The few refunds whose transaction is missing from the chain: an open question for the merchant.
CREATE INDEX refund_missing ON refund (merchant) WHERE mark IS NULL AND fault IS NOT NULL;

-- Money is returned once its refund is proven. A refund without a transaction stands on the merchant's word.
UPDATE unmatched_payment AS u SET state = 'open' FROM refund AS f
  WHERE f.merchant = u.merchant AND f.id = u.refund_id AND u.state = 'refunded' AND f.tx_hash IS NOT NULL
    AND f.mark IS DISTINCT FROM 'recipient_validated';
