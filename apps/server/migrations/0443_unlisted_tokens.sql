-- What a token that is not accepted calls itself and how many decimals it says to have, as its contract answered when
-- somebody asked for the payment: any contract may call itself anything.
ALTER TABLE unmatched_payment ADD COLUMN token_name text;

ALTER TABLE unmatched_payment ADD COLUMN token_decimals bigint;
