-- The number of a migration of the branch watch, whose file takes the place of this one.
SELECT 1;
