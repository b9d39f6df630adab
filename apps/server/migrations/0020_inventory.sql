-- What a merchant sells. `stock` is what can still be sold: what orders hold is taken off already; -1 is not counted.
CREATE TABLE product (
  merchant text NOT NULL,
  id text NOT NULL,
  sku text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  price_cents bigint NOT NULL CHECK (price_cents >= 0),
  stock bigint NOT NULL CHECK (stock >= -1),
  taxable boolean NOT NULL,
  category text,
  tags jsonb NOT NULL,
  images jsonb NOT NULL,
  attributes jsonb NOT NULL,
  cost_cents bigint CHECK (cost_cents >= 0),
  status text NOT NULL CHECK (status IN ('active', 'draft', 'archived')),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

CREATE UNIQUE INDEX product_sku ON product (merchant, sku);

-- Counted stock that was set aside for `holder`. Of what was `taken`, `missing` could not be: it had been given
-- back and sold to somebody else before the money came after all.
CREATE TABLE stock_hold (
  merchant text NOT NULL,
  holder text NOT NULL,
  product_id text NOT NULL,
  qty bigint NOT NULL CHECK (qty > 0),
  missing bigint NOT NULL CHECK (missing >= 0 AND missing <= qty),
  state text NOT NULL CHECK (state IN ('held', 'taken', 'given_back')),
  held_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, holder, product_id)
);

ALTER TABLE stock_hold ADD FOREIGN KEY (merchant, product_id) REFERENCES product (merchant, id);
