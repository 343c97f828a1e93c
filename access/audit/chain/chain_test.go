package chain

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/audit"
)

// A log is both chains with their records.
type log struct {
	starts, heads []Position
	records       [][]Record
}

var texts = []string{"", "usr_1", "a → b", "1:", "line\nbreak", "<&>\u2028", "\xff\xfe", `"quoted"`, "192.0.2.7"}

// randomLog returns chains with up to 20 records each, of which some are erased. The records are distinct.
func randomLog(r *rand.Rand) *log {
	l := &log{}
	for _, name := range Names() {
		head := Position{Chain: name}
		l.starts = append(l.starts, head)
		var records []Record

		for range 2 + r.IntN(19) {
			text := func() string { return texts[r.IntN(len(texts))] }
			record := head.Append(audit.Event{
				At: time.UnixMicro(1_800_000_000_000_000 + head.Sequence*1_000_000), Actor: text(), Account: text(),
				Action: audit.KeyChanged, Subject: text(), Detail: text(), Address: text(),
			}, NewSalt())

			if r.IntN(4) == 0 {
				record.Salt = nil
				record.Actor = "anon-1"
				record.Address = ""
				record.Erased = time.UnixMicro(1_900_000_000_000_000)
			}
			records = append(records, record)
		}

		l.records = append(l.records, records)
		l.heads = append(l.heads, head)
	}
	return l
}

// clone returns a copy whose records can be changed.
func (l *log) clone() *log {
	c := &log{starts: slices.Clone(l.starts), heads: slices.Clone(l.heads)}
	for _, records := range l.records {
		records = slices.Clone(records)
		for i := range records {
			records[i].Salt = slices.Clone(records[i].Salt)
		}
		c.records = append(c.records, records)
	}
	return c
}

func (l *log) export() []byte {
	var out bytes.Buffer
	x := NewExporter(&out)
	for i := range l.starts {
		err := x.Start(l.starts[i])
		for j := range l.records[i] {
			err = errors.Join(err, x.Record(&l.records[i][j]))
		}
		if err := errors.Join(err, x.Head(l.heads[i])); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

// verify verifies the chains directly, and also in an export.
func (l *log) verify(t *testing.T, kept ...Position) ([]Report, error) {
	t.Helper()
	exported, exportErr := VerifyExport(bytes.NewReader(l.export()), kept)
	var reports []Report
	err := func() error {
		for i, start := range l.starts {
			v := NewVerifier(start, kept)
			if err := v.Begin(); err != nil {
				return err
			}
			for j := range l.records[i] {
				if err := v.Add(&l.records[i][j]); err != nil {
					return err
				}
			}
			report, err := v.End(l.heads[i])
			if err != nil {
				return err
			}
			reports = append(reports, report)
		}
		return nil
	}()

	if (err == nil) != (exportErr == nil) {
		t.Errorf("the chains give %v, their export %v", err, exportErr)
	}
	if err == nil && !cmp.Equal(reports, exported) {
		t.Errorf("reports differ: %s", cmp.Diff(reports, exported))
	}
	return reports, err
}

// tamperings returns what somebody may do to a record of a chain, by name. Each changes something.
func tamperings() map[string]func(records []Record, i int) []Record {
	change := func(f func(r *Record)) func([]Record, int) []Record {
		return func(records []Record, i int) []Record {
			f(&records[i])
			return records
		}
	}

	// proven changes a field that the commitment covers, in a record that still has its content.
	proven := func(f func(r *Record)) func([]Record, int) []Record {
		return func(records []Record, i int) []Record {
			for len(records[i].Salt) == 0 {
				if i = (i + 1) % len(records); i == 0 && !slices.ContainsFunc(records, hasSalt) {
					return records[1:] // every record is erased, so change something else
				}
			}
			f(&records[i])
			return records
		}
	}

	return map[string]func([]Record, int) []Record{
		"time":       change(func(r *Record) { r.At = r.At.Add(time.Microsecond) }),
		"account":    change(func(r *Record) { r.Account += "x" }),
		"action":     change(func(r *Record) { r.Action = audit.KeyRevoked }),
		"actor":      proven(func(r *Record) { r.Actor += "x" }),
		"subject":    proven(func(r *Record) { r.Subject += "x" }),
		"detail":     proven(func(r *Record) { r.Detail = "x" + r.Detail }),
		"address":    proven(func(r *Record) { r.Address += "x" }),
		"salt":       proven(func(r *Record) { r.Salt[5] ^= 1 }),
		"no salt":    proven(func(r *Record) { r.Salt = nil }),
		"erased":     proven(func(r *Record) { r.Erased = time.UnixMicro(1) }),
		"commitment": change(func(r *Record) { r.Commitment[5] ^= 1 }),
		"hash":       change(func(r *Record) { r.Hash[5] ^= 1 }),
		"sequence":   change(func(r *Record) { r.Sequence += 1 }),
		"chain":      change(func(r *Record) { r.Chain = "other" }),
		"remove":     func(records []Record, i int) []Record { return slices.Delete(records, i, i+1) },
		"cut":        func(records []Record, i int) []Record { return records[:i] },
		"repeat":     func(records []Record, i int) []Record { return slices.Insert(records, i, records[i]) },
		"swap": func(records []Record, i int) []Record {
			j := (i + 1) % len(records)
			records[i], records[j] = records[j], records[i]
			return records
		},
		// The contents move without their places, so each keeps its commitment.
		"swap contents": func(records []Record, i int) []Record {
			j := (i + 1) % len(records)
			a, b := records[i], records[j]
			records[i].Event, records[i].Salt, records[i].Commitment = b.Event, b.Salt, b.Commitment
			records[j].Event, records[j].Salt, records[j].Commitment = a.Event, a.Salt, a.Commitment
			return records
		},
		// The hashes of the new record are right, but the next record doesn't follow it, or the chain is too long.
		"insert": func(records []Record, i int) []Record {
			before := Position{Chain: records[i].Chain, Sequence: records[i].Sequence, Hash: records[i].Hash}
			return slices.Insert(records, i+1, before.Append(audit.Event{Action: audit.KeyCreated}, NewSalt()))
		},
		"replace": func(records []Record, i int) []Record {
			before := Position{Chain: records[i].Chain}
			if i > 0 {
				before = Position{Chain: records[i].Chain, Sequence: records[i-1].Sequence, Hash: records[i-1].Hash}
			}
			records[i] = before.Append(audit.Event{Action: audit.KeyCreated}, NewSalt())
			return records
		},
	}
}

func hasSalt(r Record) bool { return len(r.Salt) > 0 }

func TestVerifier_FindsEveryTampering(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		original := randomLog(r)
		if _, err := original.verify(t, original.heads...); err != nil {
			t.Fatalf("seed %d: the untouched chains are refused: %v", seed, err)
		}

		for name, tamper := range tamperings() {
			l := original.clone()
			which := r.IntN(len(l.records))
			l.records[which] = tamper(l.records[which], r.IntN(len(l.records[which])))
			if _, err := l.verify(t); !IsBroken(err) {
				t.Errorf("seed %d, %s: %v, want a broken chain", seed, name, err)
			}
		}
	}
}

// Somebody who can write to the database can also compute hashes. Only what was kept elsewhere reveals that.
func TestVerifier_HeadsKeptElsewhere(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		original := randomLog(r)
		from := r.IntN(len(original.records[0]))

		cut := original.clone()
		cut.records[0] = cut.records[0][:from]
		cut.heads[0] = cut.starts[0]
		if from > 0 {
			cut.heads[0] = positionOf(cut.records[0][from-1])
		}

		rewritten := original.clone()
		rewritten.heads[0] = rewritten.starts[0]
		for i, record := range rewritten.records[0] {
			if i == from {
				record.Account += "x"
			}
			record.Erased = time.Time{}
			rewritten.records[0][i] = rewritten.heads[0].Append(record.Event, NewSalt())
		}

		for name, l := range map[string]*log{"cut": cut, "rewritten": rewritten} {
			if _, err := l.verify(t); err != nil {
				t.Errorf("seed %d, %s: without a head, this can't be found: %v", seed, name, err)
			}
			if _, err := l.verify(t, original.heads...); !IsBroken(err) {
				t.Errorf("seed %d, %s: %v, want a broken chain", seed, name, err)
			}
		}
	}
}

func positionOf(r Record) Position {
	return Position{Chain: r.Chain, Sequence: r.Sequence, Hash: r.Hash}
}

// sample returns chains of ten records without erased ones, a second apart.
func sample() *log {
	l := &log{}
	for _, name := range Names() {
		head := Position{Chain: name}
		l.starts = append(l.starts, head)
		var records []Record
		for n := range 10 {
			at := time.Unix(1_800_000_000+int64(n), 0)
			records = append(records, head.Append(audit.Event{At: at, Action: audit.KeyCreated}, NewSalt()))
		}
		l.records = append(l.records, records)
		l.heads = append(l.heads, head)
	}
	return l
}

func TestVerifier_Expired(t *testing.T) {
	l := sample()
	early := positionOf(l.records[1][1])
	at := positionOf(l.records[1][3])
	later := positionOf(l.records[1][6])
	l.starts[1] = at
	l.records[1] = l.records[1][4:]
	reports, err := l.verify(t, early, at, later)
	if err != nil {
		t.Fatal(err)
	}
	want := Report{Start: at, Head: l.heads[1], Records: 6, Compared: 2, Expired: 1}
	if diff := cmp.Diff(want, reports[1]); diff != "" {
		t.Error(diff)
	}

	at.Hash[0] ^= 1
	if _, err := l.verify(t, at); !IsBroken(err) {
		t.Errorf("%v, want a broken chain: a kept head differs from the checkpoint", err)
	}

	l.starts[1].Hash[0] ^= 1
	if _, err := l.verify(t); !IsBroken(err) {
		t.Errorf("%v, want a broken chain: the checkpoint was changed", err)
	}
}

// Nothing deletes records of the main chain, so a checkpoint there hides a removal.
func TestVerifier_MainNeverExpires(t *testing.T) {
	l := sample()
	l.starts[0] = positionOf(l.records[0][3])
	l.records[0] = l.records[0][4:]
	if _, err := l.verify(t); !IsBroken(err) {
		t.Errorf("%v, want a broken chain", err)
	}
}

func TestVerifier_BeginsWithZero(t *testing.T) {
	l := sample()
	l.starts[1].Hash[0] ^= 1
	if _, err := l.verify(t); !IsBroken(err) {
		t.Errorf("%v, want a broken chain", err)
	}
}

// A record can be written later than its time says: when somebody wants it to appear among older ones.
func TestVerifier_Late(t *testing.T) {
	l := &log{}
	for _, name := range Names() {
		head := Position{Chain: name}
		l.starts = append(l.starts, head)
		var records []Record
		for _, minute := range []int{0, 120, 61, 59, 130, 60} {
			at := time.Unix(0, 0).Add(time.Duration(minute) * time.Minute)
			records = append(records, head.Append(audit.Event{At: at}, NewSalt()))
		}
		l.records = append(l.records, records)
		l.heads = append(l.heads, head)
	}

	reports, err := l.verify(t)
	if err != nil || reports[0].Late != 2 || reports[0].FirstLate != 4 {
		t.Errorf("%+v, %v; want two late records, the first of which is 4", reports, err)
	}
}

// No byte of an export can change, even one that no hash covers.
func TestVerifyExport_FindsEveryChangedByte(t *testing.T) {
	l := sample()
	for i := range l.records {
		l.records[i] = l.records[i][:2]
		l.heads[i] = positionOf(l.records[i][1])
	}
	export := l.export()
	if _, err := VerifyExport(bytes.NewReader(export), nil); err != nil {
		t.Fatal(err)
	}

	for i := range export {
		for _, bit := range []byte{1, 0x20} {
			changed := slices.Clone(export)
			changed[i] ^= bit
			if _, err := VerifyExport(bytes.NewReader(changed), nil); err == nil {
				t.Fatalf("byte %d, %q, changed to %q unnoticed", i, export[i], changed[i])
			}
		}
	}
}

func TestVerifyExport_Incomplete(t *testing.T) {
	export := sample().export()
	lines := strings.SplitAfter(string(export), "\n")
	lines = lines[:len(lines)-1]
	for n := range lines {
		if _, err := VerifyExport(strings.NewReader(strings.Join(lines[:n], "")), nil); err == nil {
			t.Errorf("the first %d lines pass as an export", n)
		}
	}

	for name, text := range map[string]string{
		"twice":         string(export) + string(export),
		"wrong order":   strings.Join(lines[12:], "") + strings.Join(lines[:12], ""),
		"second start":  strings.Join(lines[:5], "") + lines[0] + strings.Join(lines[5:], ""),
		"empty line":    string(export) + "\n",
		"another field": strings.Replace(string(export), `"at"`, `"reason":"","at"`, 1),
		"field twice":   strings.Replace(string(export), `"at"`, `"account":"","at"`, 1),
		"spaces":        strings.Replace(string(export), `"at":`, `"at": `, 1),
		"another type":  strings.Replace(string(export), `"record"`, `"note"`, 1),
		"no JSON":       "key.created\n",
		"long line":     strings.Repeat("x", maxLine+1),
	} {
		if _, err := VerifyExport(strings.NewReader(text), nil); err == nil || IsBroken(err) {
			t.Errorf("%s: %v, want an error about the file", name, err)
		}
	}
}

func FuzzVerifyExport(f *testing.F) {
	f.Add(sample().export())
	f.Add([]byte(`{"type":"start","chain":"main","sequence":0,"hash":""}`))
	f.Fuzz(func(_ *testing.T, export []byte) { _, _ = VerifyExport(bytes.NewReader(export), nil) })
}

// Other programs compute the same hashes from the description in the package comment, so they must never change.
func TestAppend_KnownHashes(t *testing.T) {
	head := Position{Chain: Main}
	head.Append(audit.Event{}, make([]byte, saltSize))
	r := head.Append(audit.Event{
		At: time.UnixMicro(1_800_000_000_123_456), Actor: "usr_1", Account: "acc_1", Action: audit.KeyCreated,
		Subject: "key_1", Detail: "plan é", Address: "192.0.2.7",
	}, bytes.Repeat([]byte{7}, saltSize))

	const commitment = "c03f8d8154648cfe2467659a075184c985b327091d990c3a2f1ea9ca2be551d7"
	const hash = "110812112338a59c61c19b761de61d006ef46106f4831ffb68203fe4e571d8bb"
	if got := fmt.Sprint(r.Commitment, " ", r.Hash); got != commitment+" "+hash {
		t.Errorf("commitment and hash %s", got)
	}
	if head != positionOf(r) || r.Sequence != 2 {
		t.Errorf("head %+v after record %d", head, r.Sequence)
	}
}

func TestOf(t *testing.T) {
	for _, a := range audit.Actions() {
		want := Main
		if slices.Contains([]audit.Action{audit.FreelancerStored, audit.FreelancerPatched, audit.FreelancerDeleted}, a) {
			want = Freelancers
		}
		if got := Of(a); got != want {
			t.Errorf("%s is in chain %s, want %s", a, got, want)
		}
	}
}

func TestParseHash(t *testing.T) {
	h := Hash{1, 2, 0xff}
	if got, err := ParseHash(h.String()); got != h || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, text := range []string{"", "zz", hex.EncodeToString(make([]byte, 31)), hex.EncodeToString(make([]byte, 33))} {
		if _, err := ParseHash(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestParseHeads(t *testing.T) {
	heads := sample().heads
	text := fmt.Sprintf("%s\n\n  %s \r\n", heads[0], heads[1])
	got, err := ParseHeads(strings.NewReader(text))
	if diff := cmp.Diff(heads, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}

	for _, text := range []string{
		"main 1", "main x " + heads[0].Hash.String(), "main -1 " + heads[0].Hash.String(), "main 1 ff",
		"other 1 " + heads[0].Hash.String(), heads[0].String() + " x", strings.Repeat("x", 1<<20),
	} {
		if _, err := ParseHeads(strings.NewReader(text)); err == nil {
			t.Errorf("%.80q is accepted", text)
		}
	}
}
