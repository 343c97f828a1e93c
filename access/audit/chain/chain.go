// Package chain links the records of the audit log by hashes, so that a record that somebody changed, removed or put in
// between later is found. It computes hashes, verifies chains, and reads and writes exports; it does no other I/O.
//
// What a record says about people must remain erasable. A record's hash therefore covers its time, account and action,
// but of the rest (actor, subject, detail and network address) only a commitment: the SHA-256 of a random salt and that
// content. Erasing the content and the salt leaves the commitment, so the chain still holds, and nobody can guess the
// content from it.
//
// Every hash is the SHA-256 of a list of texts, each written as its length in bytes in decimal digits, a colon, and the
// text. The fields of an export have the same texts, so other programs can compute the hashes from it:
//
//	commitment = SHA-256(salt, fields "audit content 1", actor, subject, detail, address)
//	hash       = SHA-256(fields "audit record 1", chain, sequence, previous hash, time, account, action, commitment)
package chain

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

// A Name identifies a chain.
type Name string

// The chains. Records about changes of freelancers are deleted after their retention, so they have a chain of their
// own, whose beginning may be missing. No record of the other chain is ever deleted.
const (
	Main        Name = "main"
	Freelancers Name = "freelancers"
)

// Names returns all chains, in the order in which they must be locked.
func Names() []Name { return []Name{Main, Freelancers} }

// Of returns the chain of the records of an action.
func Of(a audit.Action) Name {
	if strings.HasPrefix(string(a), "freelancer.") {
		return Freelancers
	}
	return Main
}

// A Hash is a SHA-256. The zero Hash comes before the first record of a chain.
type Hash [sha256.Size]byte

// String returns the hash in lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash returns the hash with the given hexadecimal digits.
func ParseHash(text string) (h Hash, err error) {
	decoded, err := hex.DecodeString(text)
	if err != nil || len(decoded) != len(h) {
		return Hash{}, fmt.Errorf("%q is not a SHA-256 in hexadecimal digits", text)
	}
	return Hash(decoded), nil
}

// saltSize is the number of random bytes in a salt, as many as a SHA-256 has.
const saltSize = sha256.Size

// NewSalt returns a random salt.
func NewSalt() []byte {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails
	return salt
}

// A Position is a place in a chain: after the record with a sequence number, which has a hash. The first record has the
// number 1, so the beginning of a chain is number 0 with the zero hash.
type Position struct {
	Chain    Name
	Sequence int64
	Hash     Hash
}

// String returns the position as `server audit head` prints it: chain, sequence number and hash.
func (p Position) String() string { return fmt.Sprintf("%s %d %s", p.Chain, p.Sequence, p.Hash) }

// ParseHeads reads positions, each in a line as String returns it. Empty lines are ignored.
func ParseHeads(r io.Reader) (heads []Position, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}

		head, err := parseHead(fields)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		heads = append(heads, head)
	}
	return heads, lines.Err()
}

func parseHead(fields []string) (p Position, err error) {
	if len(fields) != 3 {
		return p, fmt.Errorf("%d words instead of a chain, a number and a hash", len(fields))
	}

	p.Chain = Name(fields[0])
	if !slices.Contains(Names(), p.Chain) {
		return p, fmt.Errorf("unknown chain %q", fields[0])
	}
	if p.Sequence, err = strconv.ParseInt(fields[1], 10, 64); err != nil || p.Sequence < 0 {
		return p, fmt.Errorf("%q is not the number of a record", fields[1])
	}
	p.Hash, err = ParseHash(fields[2])
	return p, err
}

// A Record is an entry of the audit log in a chain.
type Record struct {
	audit.Event // Erased is set, and the salt missing, if the content isn't the one of the commitment any more

	Chain      Name
	Sequence   int64
	Salt       []byte
	Commitment Hash
	Hash       Hash
}

// Append returns an event as the record that follows the position, and moves the position to it.
func (p *Position) Append(e audit.Event, salt []byte) Record {
	r := Record{Event: e, Chain: p.Chain, Sequence: p.Sequence + 1, Salt: salt}
	r.Commitment = r.commit()
	r.Hash = r.link(p.Hash)

	p.Sequence = r.Sequence
	p.Hash = r.Hash
	return r
}

// timeLayout writes times in UTC, in microseconds, which is the precision of the database.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// formatTime returns a time as hashes and exports have it.
func formatTime(at time.Time) string { return at.UTC().Format(timeLayout) }

// commit returns the commitment to the content of a record.
func (r *Record) commit() Hash {
	h := sha256.New()
	h.Write(r.Salt)
	writeFields(h, "audit content 1", r.Actor, r.Subject, r.Detail, r.Address)
	return Hash(h.Sum(nil))
}

// link returns the hash of a record that follows one with another hash.
func (r *Record) link(previous Hash) Hash {
	h := sha256.New()
	writeFields(h, "audit record 1", string(r.Chain), strconv.FormatInt(r.Sequence, 10), previous.String(),
		formatTime(r.At), r.Account, string(r.Action), r.Commitment.String())
	return Hash(h.Sum(nil))
}

// writeFields writes texts in a form from which each of them can be read back, so that no text can move from one field
// to the next without changing the hash.
func writeFields(h hash.Hash, fields ...string) {
	for _, field := range fields {
		field = valid(field)
		fmt.Fprintf(h, "%d:%s", len(field), field)
	}
}
