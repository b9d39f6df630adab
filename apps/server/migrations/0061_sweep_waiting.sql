-- Deposits that are worth less than the gas of sweeping them, with the newest block their money came in. They
-- are looked at again at `look_at`, or when more comes.
CREATE TABLE sweep_waiting (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  receipt_id text NOT NULL,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  block_number bigint NOT NULL,
  since bigint NOT NULL,
  look_at bigint NOT NULL,
  PRIMARY KEY (merchant, chain, receipt_id, token_address)
);
