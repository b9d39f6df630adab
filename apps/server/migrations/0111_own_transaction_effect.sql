-- Whether a transaction of ours that was mined did anything; null while it is open or from before this column.
ALTER TABLE own_transaction ADD COLUMN had_effect boolean;

CREATE INDEX own_transaction_in_vain ON own_transaction (chain, kind, created_at)
  WHERE state = 'reverted' OR had_effect = false;
