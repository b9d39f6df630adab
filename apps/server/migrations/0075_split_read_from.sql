-- Money that a split had received when this block was done is not the merchant's to book here: it was another
-- contract's, or came before it was taken over. Nought where the split was made for this service.
ALTER TABLE split_address ADD COLUMN read_from bigint NOT NULL DEFAULT 0;

-- Those taken over so far are booked from here on; they are told by having stood when they were stored.
UPDATE split_address AS a SET read_from = c.number FROM split AS s, chain_cursor AS c
WHERE s.merchant = a.merchant AND s.version = a.version AND s.deployed_tx IS NULL AND s.deployed_at = s.created_at
  AND c.chain = a.chain AND c.name = 'distributions';
