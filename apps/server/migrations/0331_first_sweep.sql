-- The first sweep after each payment is found by itself: sweeping is anybody's, and so is paying dust.
CREATE INDEX split_arrival_sweep ON split_arrival
  (merchant, chain, reference, token_address, block_number, log_index)
  WHERE kind = 'sweep' AND orphaned_at IS NULL AND receipt_id IS NOT NULL;

-- For money that no attempt of the receipt explains: by whatever reference of the receipt.
CREATE INDEX split_arrival_receipt_sweep ON split_arrival
  (merchant, chain, receipt_id, token_address, block_number, log_index)
  WHERE kind = 'sweep' AND orphaned_at IS NULL;
