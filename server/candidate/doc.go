// Package candidate serves the pages on which an invited person answers the questions of an interview. An invitation is
// a link with a token after the #, which browsers never send to a server. The script of the first page submits the
// token, or the candidate pastes it. The browser that does it first gets a cookie for this interview, and the token is
// worthless from then on. All pages work without JavaScript; the script adds autosave, counts and a clock.
package candidate
