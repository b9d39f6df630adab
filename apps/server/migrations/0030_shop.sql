-- How a merchant shows itself. `theme` holds what was chosen; what was not has the defaults of the day.
CREATE TABLE shop (
  merchant text PRIMARY KEY,
  name text NOT NULL,
  description text NOT NULL,
  bio text NOT NULL,
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

-- Over all merchants: whose shop a slug is.
CREATE TABLE shop_slug (
  slug text PRIMARY KEY,
  merchant text NOT NULL
);
