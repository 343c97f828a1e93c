// Package store stores everything the service must remember in a SQL database: keys, accounts, users, links, the audit
// log, usage, quotas, sessions, interviews, verdicts on words, and the use of language models. It contains the SQL that
// SQLite and PostgreSQL share. The packages sqlite and postgres open a database and provide what differs, and package
// storetest holds the tests that both must pass.
//
// A DB has a store for the tables of each purpose, such as Keys or AuditLog. The interfaces that these stores implement
// are defined where they are used: apikey.Store, account.Stores, usage.Store, quota.Store, interview.Store,
// skills.VerdictStore, llm.Budget, and scs.CtxStore for Sessions.
//
// A function such as keyColumns lists the fields of a record once, in the order of the columns, for both reading and
// writing. Package column converts the fields that a database can't store as they are.
package store
