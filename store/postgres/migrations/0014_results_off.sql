-- Since when results of the playground aren't stored; null if they are.
ALTER TABLE accounts ADD COLUMN results_off BIGINT;
