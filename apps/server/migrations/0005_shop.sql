-- Shops, brands, products and loyalty points.

CREATE TABLE shop (
  merchant text PRIMARY KEY,
  name text NOT NULL,
  description text NOT NULL,
  bio text NOT NULL,
  -- Values that the merchant chose. All other fields have the current defaults.
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

-- Across all merchants: shops by slug.
CREATE TABLE shop_slug (
  slug text PRIMARY KEY,
  merchant text NOT NULL
);

-- Brands of this deployment: its own (`service`), stored from its first change on, and those of partners.
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

-- Brand shown under each host name.
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
  -- Stock left to sell, with reservations already subtracted; -1 if the stock is not counted.
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

-- For searches by part of a word.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE INDEX product_search ON product USING gin (lower(name || ' ' || sku || ' ' || description) gin_trgm_ops);

-- One index for each sort order of the list (list-products.ts).
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
  -- Quantity that could not be committed, because it was released and sold before the payment arrived.
  missing bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('reserved', 'committed', 'released')),
  -- End of a storefront's reservation, and the buyer's address; null for an order placed through the
  -- merchant's API.
  until_at bigint,
  address text,
  reserved_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, holder, product_id),
  CHECK (missing BETWEEN 0 AND qty),
  FOREIGN KEY (merchant, product_id) REFERENCES product (merchant, id)
);

CREATE INDEX stock_reservation_unpaid ON stock_reservation (merchant, product_id) WHERE state = 'reserved' AND until_at IS NOT NULL;

-- Points that the paying wallet earned with a paid receipt.
CREATE TABLE loyalty_points (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  wallet text NOT NULL,
  -- In hundredths of a point.
  points bigint NOT NULL CHECK (points > 0),
  earned_at bigint NOT NULL,
  -- Time at which the receipt was refunded.
  taken_back_at bigint,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX loyalty_points_wallet ON loyalty_points (merchant, wallet);
