-- A transfer of nothing that takes the nonce of a signed payment which came too late is a cost of the relayer too.
DROP INDEX own_transaction_relayed;
CREATE INDEX own_transaction_relayed ON own_transaction (chain, created_at) WHERE kind IN ('relay', 'fill');
