-- The card sandbox showed them nowhere: whoever has the link of a receipt can open its page.
ALTER TABLE sandbox_session DROP COLUMN email, DROP COLUMN billing;
