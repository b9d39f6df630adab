-- When the merchant took the request to pay back. Its status stays pending, and its addresses stay watched.
ALTER TABLE receipt ADD COLUMN cancelled_at bigint;
