// Package feed announces what happens to the data and to accounts.
//
// The feed is a numbered list of changes of freelancers. A change enters it in two steps: Service.Announce stores what
// is about to change in the transaction of the audit log, before the index is changed, and the feed gets its next
// number when that is done. If a server ends in between, another one publishes what was announced, so a change can be
// announced twice or in vain, but is never lost (docs/adr/0098-feed.md).
//
// Endpoints of accounts receive messages about events. Those about freelancers are made from the feed, for up to
// MaxChanges changes at a time, so that a burst of changes neither waits for endpoints nor fills their outbox.
package feed
