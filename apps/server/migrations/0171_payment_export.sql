-- For all payments of a merchant in the order of the chain.
CREATE INDEX payment_by_block ON payment (merchant, chain, block_number, log_index, tx_hash, address);
