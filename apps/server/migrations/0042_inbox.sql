-- What was decided about money in the inbox: by whom, when, why, and where it went.
ALTER TABLE unmatched_payment ADD COLUMN applied_to text;

ALTER TABLE unmatched_payment ADD COLUMN refund_id text;

ALTER TABLE unmatched_payment ADD COLUMN note text;

ALTER TABLE unmatched_payment ADD COLUMN decided_by text;

ALTER TABLE unmatched_payment ADD COLUMN decided_at bigint;

CREATE INDEX unmatched_payment_newest ON unmatched_payment (merchant, seen_at DESC, id DESC);
