// Package counters stores what accounts and keys have used: requests within quotas, changes and views of freelancers,
// and the usage that the dashboard shows.
package counters
