-- What is to be tried again, first what has waited longest: of very many items that wait none is read before its time.
CREATE INDEX set_aside_due ON set_aside (job, next_try, merchant, item);
