-- Which brand a merchant sells under: the deployment's own until the operator says another.
ALTER TABLE merchant ADD COLUMN brand_key text NOT NULL DEFAULT 'service';
