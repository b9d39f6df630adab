-- The holder whose seat, a lock of its session, was seen when it claimed the lease: once that lock is gone, its process is
-- dead, and nobody waits for the lease to run out. Null, or another name than the holder's: nothing is known of its process.
ALTER TABLE lease ADD COLUMN seated_as text;
