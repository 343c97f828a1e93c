// Package interviews serves the pages about stored interviews: the list, a transcript, invitations and reviews.
package interviews
