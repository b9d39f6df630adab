-- Every merchant has an owner: the directory of members is one of merchants, too, read in their order.
CREATE INDEX member_wallet_merchant ON member_wallet (merchant);
