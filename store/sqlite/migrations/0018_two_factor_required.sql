-- Since when all users of the account need a second factor; null if they don't.
ALTER TABLE accounts ADD COLUMN two_factor_required INTEGER;
