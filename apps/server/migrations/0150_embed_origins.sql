-- Origins whose pages may show the merchant's checkout in a frame; empty for merchants that never said so.
ALTER TABLE merchant_settings ADD COLUMN embed_origins text[] NOT NULL DEFAULT '{}';
