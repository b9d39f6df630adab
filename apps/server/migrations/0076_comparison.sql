-- Where the comparison of books and chain goes on with the splits and deposits that nothing happened at of late:
-- the last of each it looked at, in the order of their addresses.
CREATE TABLE comparison_round (
  chain bigint NOT NULL,
  after_split text NOT NULL,
  after_deposit text NOT NULL,
  PRIMARY KEY (chain)
);

-- What came without a log of its own, or under no reference, is told from the rest.
CREATE INDEX split_arrival_plain ON split_arrival (merchant, split_address, token_address) WHERE kind = 'plain';
