-- The points that a paid receipt has earned the wallet that paid it, in hundredths; none any more once it is refunded.
CREATE TABLE loyalty_points (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  wallet text NOT NULL,
  points bigint NOT NULL CHECK (points > 0),
  earned_at bigint NOT NULL,
  taken_back_at bigint,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX loyalty_points_wallet ON loyalty_points (merchant, wallet);
