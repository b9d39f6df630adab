-- A notice is claimed and settled within seconds of being written: with room on its page, a claim writes what it changes
-- instead of all of the row and its entries in four indexes.
ALTER TABLE notice SET (fillfactor = 65);
