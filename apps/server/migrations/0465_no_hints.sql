-- The hint of a buyer starts a round of the watcher, which reads every open attempt in the native token.
ALTER TABLE attempt_target DROP COLUMN hinted_at;
