-- When a buyer, or a buyer's wallet, asked for an offer: a page that was only opened leaves it empty.
ALTER TABLE attempt ADD COLUMN asked_at bigint;

UPDATE attempt SET asked_at = created_at WHERE closed_at IS NULL;
