-- By which way a signed payment moves: an EIP-3009 authorization, an EIP-2612 permit, or a signature for Permit2.
ALTER TABLE relayed_payment ADD COLUMN way text NOT NULL DEFAULT 'authorization'
  CHECK (way IN ('authorization', 'permit', 'permit2'));

UPDATE relayed_payment SET way = 'permit' WHERE permit_nonce IS NOT NULL;
