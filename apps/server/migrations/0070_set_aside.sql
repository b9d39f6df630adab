-- Over all merchants: items of jobs that could not be done, with what kept them, so that one never stops the
-- others. Tried again at `next_try`, and gone once done.
CREATE TABLE set_aside (
  job text NOT NULL,
  merchant text NOT NULL,
  item text NOT NULL,
  fault text NOT NULL,
  reason text NOT NULL,
  since bigint NOT NULL,
  tries bigint NOT NULL,
  next_try bigint NOT NULL,
  PRIMARY KEY (job, merchant, item)
);

-- Over all merchants: what watchers found for items that are set aside. The cursors have moved past it, so it
-- is kept here until the item is done, or its block is no longer part of the chain.
CREATE TABLE set_aside_news (
  chain bigint NOT NULL,
  merchant text NOT NULL,
  item text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('finding', 'unmatched', 'orphaned')),
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  block_number bigint NOT NULL,
  content jsonb NOT NULL,
  PRIMARY KEY (chain, merchant, item, kind, tx_hash, log_index, address)
);

CREATE INDEX set_aside_news_number ON set_aside_news (chain, block_number);
