-- Reservations of storefront orders: until when, and for which address. Both are NULL for an order of the merchant's API.
ALTER TABLE stock_hold ADD COLUMN until_at bigint;
ALTER TABLE stock_hold ADD COLUMN address text;
CREATE INDEX stock_hold_unpaid ON stock_hold (merchant, product_id) WHERE state = 'held' AND until_at IS NOT NULL;
