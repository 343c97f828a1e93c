package rows

// A Key is what identifies the person of a row.
type Key uint8

// The kinds of keys, the strongest first. A row without one of them has the next one. The zero value is an ID that the
// file or the reader gave.
const (
	ByID    Key = iota // one or several columns with an ID, or the row's position in its file
	ByURL              // the profile URL
	ByEmail            // the e-mail address
	ByPlace            // name and location
	ByOffer            // name, job title and hourly rate
	ByRow              // everything the row says: nobody else is the same person
)

var keyNames = [...]string{"id", "profile URL", "e-mail", "name and location", "name, title and rate", "whole row"}

// String returns the kind of key as shown in reports.
func (k Key) String() string { return keyNames[k] }
