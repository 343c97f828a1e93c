// Package transcript prepares an interview for a page: its questions, answers, marks and totals. The playground and the
// pages of stored interviews share it.
package transcript
