-- The transaction that swept a deposit is noted for what no receipt explains too; `none` where nothing was there.
ALTER TABLE unmatched_payment ADD COLUMN swept_tx text;

CREATE INDEX payment_unswept ON payment (chain, block_number) WHERE swept_tx IS NULL AND kind <> 'call';

CREATE INDEX payment_lost ON payment (merchant, receipt_id) WHERE state = 'orphaned' AND credited_at IS NOT NULL;

CREATE INDEX unmatched_payment_unswept ON unmatched_payment (chain, block_number)
  WHERE swept_tx IS NULL AND receipt_id IS NOT NULL;
