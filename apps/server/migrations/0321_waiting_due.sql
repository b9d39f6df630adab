-- Who has deposits that are not worth their sweep: the operator's list asks them alone.
INSERT INTO work_due (kind, merchant, lane)
SELECT DISTINCT 'waiting', merchant, (get_byte(sha256(convert_to(merchant, 'UTF8')), 0) % 64)::smallint FROM sweep_waiting
ON CONFLICT (kind, merchant) DO NOTHING;
