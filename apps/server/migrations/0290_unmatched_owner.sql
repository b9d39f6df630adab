-- Over all merchants: in whose inboxes money of a transaction lies or lay. A buyer who looks for a payment knows the
-- transaction alone.
CREATE TABLE unmatched_owner (
  tx_hash text NOT NULL,
  chain bigint NOT NULL,
  merchant text NOT NULL,
  PRIMARY KEY (tx_hash, chain, merchant)
);

-- Coin that no transaction brought is kept under the hash of its block.
INSERT INTO unmatched_owner (tx_hash, chain, merchant)
  SELECT DISTINCT tx_hash, chain, merchant FROM unmatched_payment WHERE tx_hash <> block_hash;
