-- What makes a log the same log when its transaction runs again in another block, under another index: how the
-- money came, and the reference, deposit address or split it named. Null in rows of before.
ALTER TABLE payment ADD COLUMN source text;

ALTER TABLE unmatched_payment ADD COLUMN source text;

ALTER TABLE unmatched_payment ADD COLUMN kind text;

ALTER TABLE unmatched_payment ADD CHECK (kind IN ('call', 'transfer', 'native'));

-- What a case was when the chain lost its block (`orphaned`), and is again once the money is back.
ALTER TABLE unmatched_payment ADD COLUMN lost_state text;

-- As payments do, what the chain lost stands under the hash of its block: its place may belong to another log now.
UPDATE unmatched_payment SET lost_state = 'open',
  address = CASE WHEN log_index < 0 THEN address ELSE block_hash END WHERE state = 'orphaned';

CREATE INDEX unmatched_payment_receipt ON unmatched_payment (merchant, receipt_id) WHERE receipt_id IS NOT NULL;

CREATE INDEX payment_lost_coin ON payment (merchant, chain, address) WHERE state = 'orphaned' AND log_index < 0;

CREATE INDEX unmatched_payment_lost_coin ON unmatched_payment (merchant, chain, address)
  WHERE state = 'orphaned' AND log_index < 0;
