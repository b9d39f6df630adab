-- Whose notices wait, and each merchant's in the order that they are sent in: a long queue of one is not read to find the
-- first of another, and who has any at all is told without the table, which keeps every notice there ever was.
CREATE INDEX notice_waiting ON notice (merchant, next_at, sequence) WHERE state = 'pending';
