-- What of a receipt's price is known to be given back, in US cents; kept beside the refunds themselves.
ALTER TABLE receipt ADD COLUMN refunded_cents bigint NOT NULL DEFAULT 0;

UPDATE receipt SET refunded_cents = given.cents
  FROM (SELECT merchant, receipt_id, sum(usd_cents)::bigint AS cents FROM refund
    WHERE kind = 'price' AND (tx_hash IS NULL OR mark = 'recipient_validated')
    GROUP BY merchant, receipt_id) AS given
  WHERE receipt.merchant = given.merchant AND receipt.id = given.receipt_id;

-- One list for each currency and status, by time and by amount: a filtered list is merged from as many as it asks for.
CREATE INDEX receipt_by_time ON receipt (merchant, currency, status, created_at, id)
  INCLUDE (total_cents, native_total_cents);

CREATE INDEX receipt_by_amount ON receipt (merchant, currency, status, total_cents, id)
  INCLUDE (created_at, native_total_cents);

CREATE INDEX receipt_by_native_amount ON receipt (merchant, currency, status, native_total_cents, id)
  INCLUDE (created_at, total_cents) WHERE currency <> 'USD';

-- For ids by their beginning, whatever the database's own order of letters is.
CREATE INDEX receipt_by_id ON receipt (merchant, id COLLATE "C");

-- What a receipt can be looked up by beside its id: e-mail, the caller's reference, values of its metadata. `term` is a
-- hash of the kind and the text, so that long ones take no room; see receipts/search-terms.ts.
CREATE TABLE receipt_term (
  merchant text NOT NULL,
  term text NOT NULL,
  created_at bigint NOT NULL,
  receipt_id text NOT NULL,
  PRIMARY KEY (merchant, term, created_at, receipt_id)
);

INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
  SELECT DISTINCT r.merchant, left(encode(sha256(convert_to(found.term, 'UTF8')), 'hex'), 32), r.created_at, r.id
  FROM receipt AS r, LATERAL (
    SELECT 'email:' || lower(email COLLATE "C") AS term
      FROM unnest(ARRAY[r.provider_email, r.billing ->> 'email']) AS email WHERE email IS NOT NULL
    UNION ALL SELECT 'reference:' || r.transaction_id WHERE r.transaction_id IS NOT NULL
    UNION ALL SELECT 'metadata:' || (field.value #>> '{}') FROM (
      SELECT each.value FROM jsonb_each(r.metadata) AS each
      WHERE jsonb_typeof(each.value) IN ('string', 'number', 'boolean') LIMIT 64) AS field
  ) AS found;

-- How many receipts of a merchant there are, and what they come to, by the quarter of an hour (`span` 900000) and the
-- day (86400000, UTC) of their creation, by currency and status. Amounts are cents: `total_cents` of US dollars, the
-- others of the receipts' own currency. Always to be added to what `receipt_tally_change` holds.
CREATE TABLE receipt_tally (
  merchant text NOT NULL,
  span bigint NOT NULL,
  start bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  receipts bigint NOT NULL,
  total_cents numeric(38, 0) NOT NULL,
  native_cents numeric(38, 0) NOT NULL,
  fee_cents numeric(38, 0) NOT NULL,
  refunded_cents numeric(38, 0) NOT NULL,
  PRIMARY KEY (merchant, span, start, currency, status)
);

-- What was added to and taken from the tallies since they were last folded: written in the statement that writes the
-- receipt, and only ever inserted, so that nobody waits for anybody.
CREATE TABLE receipt_tally_change (
  merchant text NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  quarter bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  receipts bigint NOT NULL,
  total_cents bigint NOT NULL,
  native_cents bigint NOT NULL,
  fee_cents bigint NOT NULL,
  refunded_cents bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

-- No receipt is written while the indexes above are made, so nothing is left out here.
INSERT INTO receipt_tally (merchant, span, start, currency, status, receipts, total_cents, native_cents, fee_cents,
    refunded_cents)
  SELECT merchant, span, created_at - created_at % span, currency, status, count(*), sum(total_cents),
    sum(coalesce(native_total_cents, total_cents)),
    sum(coalesce(round(fee_cents::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0)),
    sum(coalesce(round(refunded_cents::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0))
  FROM receipt, (VALUES (900000::bigint), (86400000::bigint)) AS spans (span)
  GROUP BY merchant, span, created_at - created_at % span, currency, status;
