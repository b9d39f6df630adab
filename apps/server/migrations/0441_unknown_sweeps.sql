-- What was swept into splits from deposit addresses that nobody was given is in the inbox from this release on; so is what
-- was swept before.
INSERT INTO unmatched_payment (merchant, id, chain, tx_hash, log_index, address, receipt_id, token_address, amount,
  payer, reason, state, block_number, block_hash, block_at, seen_at, kind, source)
SELECT a.merchant, 'sweep-' || md5(a.chain || a.tx_hash || a.log_index), a.chain, a.tx_hash, a.log_index, '', NULL,
  a.token_address, a.amount, NULL, 'unknown-deposit', 'open', a.block_number, a.block_hash, a.block_at, a.block_at,
  'call', a.reference
FROM split_arrival AS a LEFT JOIN attempt_target AS t ON t.chain = a.chain AND t.reference = a.reference
  AND t.split_address = a.split_address
WHERE a.kind = 'sweep' AND a.orphaned_at IS NULL AND t.reference IS NULL
ON CONFLICT (merchant, chain, tx_hash, log_index, address) DO NOTHING;

INSERT INTO unmatched_owner (tx_hash, chain, merchant)
SELECT DISTINCT tx_hash, chain, merchant FROM unmatched_payment WHERE reason = 'unknown-deposit'
ON CONFLICT DO NOTHING;
