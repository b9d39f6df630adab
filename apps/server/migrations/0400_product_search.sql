-- Searches of products by a part of a word, and an index for each order of their list (list-products.ts).
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE INDEX product_search ON product USING gin (lower(name || ' ' || sku || ' ' || description) gin_trgm_ops);
CREATE INDEX product_by_name ON product (merchant, (lower(name)) COLLATE "C", id);
CREATE INDEX product_by_price ON product (merchant, (lpad(price_cents::text, 20, '0')) COLLATE "C", id);
CREATE INDEX product_by_stock ON product (merchant, (lpad((stock + 1)::text, 20, '0')) COLLATE "C", id);
CREATE INDEX product_by_change ON product (merchant, (lpad(updated_at::text, 20, '0')) COLLATE "C", id);
CREATE INDEX product_by_sku ON product (merchant, sku COLLATE "C", id);
