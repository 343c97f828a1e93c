// Package store keeps what the service must remember in a SQL database: keys, accounts, users and links, the audit log,
// usage, quotas, sessions, interviews, verdicts on words and what was used of a language model. The statements are written
// once, in the SQL that SQLite and PostgreSQL share; packages sqlite and postgres open a database and know what the two do
// not share. Package storetest holds the contracts that both pass.
//
// The interfaces stand where they are used: apikey.Store, account.Store, usage.Store, quota.Store, interview.Store,
// skills.VerdictStore, llm.Budget, and scs.CtxStore for Sessions. Moments are whole microseconds since 1970 in the tables,
// NULL for the zero time.
package store
