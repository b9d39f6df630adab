-- What merchants sell and how they show themselves: shops, brands, products, points.

CREATE TABLE shop (
  merchant text PRIMARY KEY,
  name text NOT NULL,
  description text NOT NULL,
  bio text NOT NULL,
  -- What was chosen; anything else has the current defaults.
  theme jsonb NOT NULL,
  arrangement text NOT NULL CHECK (arrangement IN ('grid', 'featured_first', 'groups', 'carousel')),
  xp_per_dollar_hundredths bigint NOT NULL,
  slug text,
  links jsonb NOT NULL,
  industry_pack text CHECK (industry_pack IN ('restaurant', 'retail', 'hotel', 'freelancer')),
  industry_pack_activated_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- Over all merchants: the shop that a slug belongs to.
CREATE TABLE shop_slug (
  slug text PRIMARY KEY,
  merchant text NOT NULL
);

-- The brands of this deployment: `service`, its own, from its first change on, and those of partners.
CREATE TABLE brand (
  key text PRIMARY KEY,
  domains text[] NOT NULL,
  theme jsonb NOT NULL,
  -- In hundredths of a percent.
  processing_fee_hundredths bigint CHECK (processing_fee_hundredths BETWEEN 0 AND 2000),
  default_payment_token text NOT NULL,
  reserve_ratios jsonb,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- The brand that a host name shows.
CREATE TABLE brand_domain (
  domain text PRIMARY KEY,
  brand_key text NOT NULL
);

CREATE TABLE product (
  merchant text NOT NULL,
  id text NOT NULL,
  sku text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  price_cents bigint NOT NULL CHECK (price_cents >= 0),
  -- What can still be sold: reservations are subtracted already. -1 is not counted.
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

-- Searches by a part of a word.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE INDEX product_search ON product USING gin (lower(name || ' ' || sku || ' ' || description) gin_trgm_ops);

-- One index for each order of the list (list-products.ts).
CREATE INDEX product_by_name ON product (merchant, (lower(name)) COLLATE "C", id);
CREATE INDEX product_by_price ON product (merchant, (lpad(price_cents::text, 20, '0')) COLLATE "C", id);
CREATE INDEX product_by_stock ON product (merchant, (lpad((stock + 1)::text, 20, '0')) COLLATE "C", id);
CREATE INDEX product_by_change ON product (merchant, (lpad(updated_at::text, 20, '0')) COLLATE "C", id);
CREATE INDEX product_by_sku ON product (merchant, sku COLLATE "C", id);

-- Counted stock that is reserved for a receipt.
CREATE TABLE stock_reservation (
  merchant text NOT NULL,
  holder text NOT NULL,
  product_id text NOT NULL,
  qty bigint NOT NULL CHECK (qty > 0),
  -- Of a committed reservation, what could not be committed: it was released and sold before the money came.
  missing bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('reserved', 'committed', 'released')),
  -- End of a storefront's reservation, and the buyer's address; null for an order of the merchant's API.
  until_at bigint,
  address text,
  reserved_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, holder, product_id),
  CHECK (missing BETWEEN 0 AND qty),
  FOREIGN KEY (merchant, product_id) REFERENCES product (merchant, id)
);

CREATE INDEX stock_reservation_unpaid ON stock_reservation (merchant, product_id) WHERE state = 'reserved' AND until_at IS NOT NULL;

-- Points that a paid receipt earned the wallet that paid it.
CREATE TABLE loyalty_points (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  wallet text NOT NULL,
  -- In hundredths.
  points bigint NOT NULL CHECK (points > 0),
  earned_at bigint NOT NULL,
  -- When the receipt was refunded.
  taken_back_at bigint,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX loyalty_points_wallet ON loyalty_points (merchant, wallet);
