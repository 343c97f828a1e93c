package chain

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

// The types of lines in an export. Each chain has a line of its start, then its records, and a line of its head.
const (
	startLine  = "start"
	recordLine = "record"
	headLine   = "head"
)

// maxLine limits the length of a line of an export, in bytes. Details are short texts.
const maxLine = 1 << 20

// A line is a line of an export. Starts and heads have a chain, a sequence number and a hash.
type line struct {
	Type       string       `json:"type"`
	Chain      Name         `json:"chain"`
	Sequence   int64        `json:"sequence"`
	Previous   string       `json:"previous,omitempty"`
	At         string       `json:"at,omitempty"`
	Account    string       `json:"account,omitempty"`
	Action     audit.Action `json:"action,omitempty"`
	Actor      string       `json:"actor,omitempty"`
	Subject    string       `json:"subject,omitempty"`
	Detail     string       `json:"detail,omitempty"`
	Address    string       `json:"address,omitempty"`
	Salt       string       `json:"salt,omitempty"`
	Commitment string       `json:"commitment,omitempty"`
	Hash       string       `json:"hash"`
	Erased     string       `json:"erased,omitempty"`
}

// An Exporter writes chains as lines of JSON.
type Exporter struct {
	encoder  *json.Encoder
	previous Hash
}

// NewExporter returns an Exporter.
func NewExporter(w io.Writer) *Exporter {
	return &Exporter{encoder: newEncoder(w)}
}

func newEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // so that other programs find the texts as they are
	return encoder
}

// Start writes the position that the records of a chain follow.
func (x *Exporter) Start(p Position) error {
	x.previous = p.Hash
	return x.position(startLine, p)
}

// Head writes the end of a chain.
func (x *Exporter) Head(p Position) error { return x.position(headLine, p) }

func (x *Exporter) position(kind string, p Position) error { return x.encoder.Encode(lineOf(kind, p)) }

// Record writes the next record of a chain.
func (x *Exporter) Record(r *Record) error {
	l := lineOfRecord(r, x.previous)
	x.previous = r.Hash
	return x.encoder.Encode(l)
}

func lineOf(kind string, p Position) line {
	return line{Type: kind, Chain: p.Chain, Sequence: p.Sequence, Hash: p.Hash.String()}
}

// lineOfRecord returns the line of a record that follows one with another hash.
func lineOfRecord(r *Record, previous Hash) line {
	l := line{
		Type: recordLine, Chain: r.Chain, Sequence: r.Sequence, Previous: previous.String(),
		At: formatTime(r.At), Account: valid(r.Account), Action: audit.Action(valid(string(r.Action))),
		Actor: valid(r.Actor), Subject: valid(r.Subject), Detail: valid(r.Detail), Address: valid(r.Address),
		Salt: hex.EncodeToString(r.Salt), Commitment: r.Commitment.String(), Hash: r.Hash.String(),
	}
	if !r.Erased.IsZero() {
		l.Erased = formatTime(r.Erased)
	}
	return l
}

// valid returns a text as hashes and exports have it. JSON can't contain invalid UTF-8, which SQLite can.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// VerifyExport verifies all chains in an export, and compares them with heads that were kept elsewhere. Its error is a
// *BreakError if a chain doesn't hold, and another one if the file can't be read or isn't a complete export.
func VerifyExport(r io.Reader, kept []Position) (reports []Report, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var verifier *Verifier // of the chain whose head comes later; nil between chains

	for n := 1; lines.Scan(); n++ {
		l, err := parseLine(lines.Bytes())
		if err != nil {
			return reports, fmt.Errorf("line %d: %w", n, err)
		}

		// A start inside of a chain would let a file leave out the rest of it.
		isExpected := (l.kind == startLine) == (verifier == nil)
		if !isExpected {
			return reports, fmt.Errorf("line %d: unexpected line of type %s", n, l.kind)
		}

		switch l.kind {
		case startLine:
			if len(reports) == len(Names()) || l.position.Chain != Names()[len(reports)] {
				return reports, fmt.Errorf("line %d: unexpected chain %q", n, l.position.Chain)
			}
			verifier = NewVerifier(l.position, kept)
			err = verifier.Begin()

		case recordLine:
			if l.previous != verifier.at.Hash {
				err = verifier.broken(l.record.Sequence, "its previous hash isn't the one of the record before it")
				break
			}
			err = verifier.Add(&l.record)

		case headLine:
			var report Report
			report, err = verifier.End(l.position)
			reports = append(reports, report)
			verifier = nil
		}
		if err != nil {
			return reports, err
		}
	}

	if err := lines.Err(); err != nil {
		return reports, err
	}
	if len(reports) < len(Names()) {
		return reports, errors.New("the file ends before the head of the last chain, so a part of the export is missing")
	}
	return reports, nil
}

// A parsedLine is a line of an export: a record, or a position.
type parsedLine struct {
	kind     string
	position Position
	record   Record
	previous Hash // of the record before it
}

// parseLine reads a line of an export. It accepts what an Exporter writes and nothing else, because what no hash covers
// could mislead a reader: another field, a field that comes twice, or one in capital letters.
func parseLine(text []byte) (p parsedLine, err error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return p, err
	}

	hash, err := ParseHash(l.Hash)
	if err != nil {
		return p, fmt.Errorf("hash: %w", err)
	}

	p.kind = l.Type
	var expected line
	switch l.Type {
	case startLine, headLine:
		p.position = Position{Chain: l.Chain, Sequence: l.Sequence, Hash: hash}
		expected = lineOf(l.Type, p.position)

	case recordLine:
		if p.record, err = l.parseRecord(hash); err != nil {
			return p, err
		}
		if p.previous, err = ParseHash(l.Previous); err != nil {
			return p, fmt.Errorf("previous: %w", err)
		}
		expected = lineOfRecord(&p.record, p.previous)

	default:
		return p, fmt.Errorf("unknown type %q", l.Type)
	}

	var written bytes.Buffer
	encoder := newEncoder(&written)
	if err := encoder.Encode(expected); err != nil {
		return p, err
	}
	if !bytes.Equal(bytes.TrimSuffix(written.Bytes(), []byte("\n")), text) {
		return p, errors.New("the line is not as an export writes it")
	}
	return p, nil
}

// parseRecord returns the record in a line that has its hash.
func (l *line) parseRecord(hash Hash) (r Record, err error) {
	r = Record{
		Event: audit.Event{
			Account: l.Account, Action: l.Action, Actor: l.Actor, Subject: l.Subject, Detail: l.Detail, Address: l.Address,
		},
		Chain: l.Chain, Sequence: l.Sequence, Hash: hash,
	}

	if r.At, err = time.Parse(timeLayout, l.At); err != nil {
		return r, fmt.Errorf("at: %w", err)
	}
	if l.Erased != "" {
		if r.Erased, err = time.Parse(timeLayout, l.Erased); err != nil {
			return r, fmt.Errorf("erased: %w", err)
		}
	}
	if r.Salt, err = hex.DecodeString(l.Salt); err != nil {
		return r, fmt.Errorf("salt: %w", err)
	}
	if r.Commitment, err = ParseHash(l.Commitment); err != nil {
		return r, fmt.Errorf("commitment: %w", err)
	}
	return r, nil
}
