// Package store stores everything the service must remember in a SQL database: keys, accounts, users, links, the audit
// log, usage, quotas, sessions, interviews, verdicts on words, and the use of language models. It contains the SQL that
// SQLite and PostgreSQL share. The packages sqlite and postgres open a database and provide what differs, and package
// storetest holds the tests that both must pass.
//
// The interfaces that a DB implements are defined where they are used: apikey.Store, account.Store, usage.Store,
// quota.Store, interview.Store, skills.VerdictStore, llm.Budget, and scs.CtxStore for Sessions.
//
// A function such as keyColumns lists the fields of a record once, in the order of the columns, for both reading and
// writing. Package column converts the fields that a database can't store as they are.
package store
