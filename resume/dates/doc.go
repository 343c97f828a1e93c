// Package dates finds dates and date ranges in text, and adds up the time that they cover.
package dates
