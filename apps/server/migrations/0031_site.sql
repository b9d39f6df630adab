-- The brands of this deployment: `service`, its own, is there from the first change on, partners' beside it.
-- The fee is in hundredths of a percent, `theme` holds what was chosen.
CREATE TABLE brand (
  key text PRIMARY KEY,
  domains text[] NOT NULL,
  theme jsonb NOT NULL,
  processing_fee_hundredths bigint CHECK (processing_fee_hundredths BETWEEN 0 AND 2000),
  default_payment_token text NOT NULL,
  reserve_ratios jsonb,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- Which brand a host name is.
CREATE TABLE brand_domain (
  domain text PRIMARY KEY,
  brand_key text NOT NULL
);
