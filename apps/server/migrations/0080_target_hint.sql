-- When a buyer last said that something was sent to this attempt: its balance is then read with every block.

ALTER TABLE attempt_target ADD COLUMN hinted_at bigint;
