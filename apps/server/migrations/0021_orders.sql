-- An order and its receipt have one id. `items` is what was sold as it was at that time; `stock` is null where no
-- counted product is in it; `missing` is what could not be taken of it any more when it was paid after all.
CREATE TABLE customer_order (
  merchant text NOT NULL,
  id text NOT NULL,
  items jsonb NOT NULL,
  subtotal_cents bigint NOT NULL,
  taxable_cents bigint NOT NULL,
  tax_cents bigint NOT NULL,
  total_cents bigint NOT NULL,
  tax jsonb NOT NULL,
  stock text CHECK (stock IN ('held', 'taken', 'given_back')),
  missing jsonb,
  created_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX customer_order_newest ON customer_order (merchant, created_at DESC, id DESC);

ALTER TABLE customer_order ADD FOREIGN KEY (merchant, id) REFERENCES receipt (merchant, id);

-- Over all merchants: receipts that what was made with them waits for, and when they are to be looked at: at once
-- after their status moved, else at the time they were put here for.
CREATE TABLE receipt_due (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX receipt_due_next ON receipt_due (due_at);
