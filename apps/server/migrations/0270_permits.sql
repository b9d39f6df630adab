-- A signed payment may be an EIP-2612 permit: its nonce at the token, which counts up for each owner. Null where it is an
-- EIP-3009 authorization.
ALTER TABLE relayed_payment ADD COLUMN permit_nonce numeric(78, 0);

-- One permit of an owner at a time: the next one has to be signed with the nonce after it.
CREATE UNIQUE INDEX relayed_payment_permit ON relayed_payment (chain, token_address, payer)
  WHERE permit_nonce IS NOT NULL AND state IN ('waiting', 'sent');
