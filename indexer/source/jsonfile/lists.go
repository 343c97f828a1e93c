package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/flatten"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// maxListDepth is the number of keys that may lead to a list of freelancers.
const maxListDepth = 3

// jsonList is a list of objects inside an object.
type jsonList struct {
	path []string // the keys that lead to it
	keys []string // of its first object, in which keys of nested objects are joined with dots
}

// String returns the path as -json-path takes it.
func (l jsonList) String() string { return strings.Join(l.path, ".") }

// choosePath returns the keys that lead to the list of freelancers in a file that begins with an object, or nil if the
// objects themselves are freelancers. APIs wrap lists, as in {"total": 2, "data": [{…}, {…}]}.
func choosePath(in *input.Stream, o Options) ([]string, error) {
	if o.Path != "" {
		return strings.Split(o.Path, "."), nil
	}

	lists, keys := findLists(in.Head)
	ownFields, isRecord := fieldsOf(keys, o.Overrides)
	var candidates, others []jsonList
	for _, list := range lists {
		switch fields, isRecordList := fieldsOf(list.keys, o.Overrides); {
		case !isRecordList:
			others = append(others, list)
		case !isRecord || fields > ownFields: // a freelancer may have a list, too, such as of projects
			candidates = append(candidates, list)
		}
	}

	isOnlyList := !isRecord && len(others) == 1
	if len(candidates) == 0 && isOnlyList {
		candidates = others
	}

	if len(candidates) == 0 {
		return nil, nil
	}
	if len(candidates) > 1 {
		return nil, severalLists(candidates)
	}

	in.Note("read the list of objects at %q; choose another one with -json-path", candidates[0])
	return candidates[0].path, nil
}

func severalLists(lists []jsonList) error {
	return fmt.Errorf("there are several lists that may be freelancers: %s; name one, such as with -json-path %s",
		listNames(lists), lists[0])
}

func listNames(lists []jsonList) string {
	names := make([]string, len(lists))
	for i, list := range lists {
		names[i] = list.String()
	}
	return table.Quoted(names)
}

// fieldsOf returns the number of fields among keys, and whether they are enough for a freelancer.
func fieldsOf(keys []string, overrides headers.Overrides) (n int, isRecord bool) {
	var known [field.Count]bool
	for _, key := range keys {
		if h, ok := headers.Lookup(key); ok && h.Field != field.None {
			known[h.Field] = true
		} else if overrides.IsKnown(key) {
			n++
			isRecord = true
		}
	}
	for _, isField := range known {
		if isField {
			n++
		}
	}
	return n, isRecord || known[field.Name] || known[field.JobTitle] || known[field.Skills] || known[field.Description]
}

// findLists returns the lists of objects in the first object of a file, and its other keys. The object may continue
// behind the head.
func findLists(head []byte) (lists []jsonList, keys []string) {
	w := &listFinder{decoder: json.NewDecoder(bytes.NewReader(head))}
	if start, err := w.decoder.Token(); err == nil && start == json.Delim('{') {
		_ = w.object(nil) // the head may end anywhere
	}
	return w.lists, w.keys
}

// listFinder walks through an object.
type listFinder struct {
	decoder *json.Decoder
	lists   []jsonList
	keys    []string
}

// isRecordIn returns a function that reports whether an object may be a freelancer.
func isRecordIn(overrides headers.Overrides) func(object []byte) bool {
	return func(object []byte) bool {
		_, keys := findLists(object)
		_, isRecord := fieldsOf(keys, overrides)
		return isRecord
	}
}

// object reads the members of an object after its opening brace.
func (w *listFinder) object(path []string) error {
	for w.decoder.More() {
		key, err := w.decoder.Token()
		if err != nil {
			return err
		}
		member := append(slices.Clone(path), fmt.Sprint(key))
		token, err := w.decoder.Token()
		if err != nil {
			return err
		}

		switch {
		case token == json.Delim('{') && len(member) < maxListDepth:
			err = w.object(member)
		case token == json.Delim('['):
			err = w.list(member)
		default:
			w.keys = append(w.keys, columnName(member))
			err = skipTokens(w.decoder, token)
		}

		if err != nil {
			return err
		}
	}

	_, err := w.decoder.Token()
	return err
}

// list reads a list after its opening bracket.
func (w *listFinder) list(path []string) error {
	w.keys = append(w.keys, columnName(path))

	// The first element stands for all of them.
	if w.decoder.More() {
		first, err := w.decoder.Token()
		if err != nil {
			return err
		}
		if first == json.Delim('{') && len(path) <= maxListDepth {
			element := &listFinder{decoder: w.decoder}
			err = element.object(nil)
			w.lists = append(w.lists, jsonList{path, element.keys})
		} else {
			err = skipTokens(w.decoder, first)
		}
		if err != nil {
			return err
		}
	}
	return skipTokens(w.decoder, json.Delim('['))
}

// columnName returns the name of the column that holds the value at a path.
func columnName(path []string) string {
	if len(path) > 1 && path[0] == flatten.SourceKey {
		path = path[1:]
	}
	return strings.Join(path, ".")
}

// listsByColumn returns an error if the file is one object that holds a list for each column, as in
// {"name": {"0": "Ann", "1": "Bob"}}: read as a person, it would be a mixture of several.
func listsByColumn(t table.Table) error {
	if len(t.Sample) != 1 {
		return nil
	}
	lists := make(map[string]int) // number of keys by prefix
	for _, header := range t.Headers {
		dot := strings.LastIndexByte(header, '.')
		if dot < 0 || header[dot+1:] == "" || strings.Trim(header[dot+1:], "0123456789") != "" {
			return nil
		}
		lists[header[:dot]]++
	}
	for _, n := range lists {
		if n > 1 {
			return errors.New("the file has lists of values by column; it must have one object for each freelancer, which " +
				`pandas writes with to_json(orient="records")`)
		}
	}
	return nil
}

// skipTokens reads the rest of the value that begins with a token.
func skipTokens(decoder *json.Decoder, token json.Token) error {
	depth := 0
	for {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if token, err = decoder.Token(); err != nil {
			return err
		}
	}
}

// errListEnd reports that the list of freelancers has ended.
var errListEnd = errors.New("the list has ended")

// enter reads up to the start of the list at r.path in the next object. It returns io.EOF if there is none.
func (r *Reader) enter() error {
	c, err := r.startOfPage()
	for i := 0; err == nil && i < len(r.path); i++ {
		if c != '{' {
			return r.noList()
		}
		c, err = r.find(r.path[i])
	}
	if err != nil {
		return err
	}
	if c != '[' {
		return r.noList()
	}
	r.open = 1
	return nil
}

// startOfPage returns the first byte of the next object of the file: one, several in lines, or several in a list.
func (r *Reader) startOfPage() (byte, error) {
	r.line = max(r.line, 1)
	for {
		c, err := r.readByte()
		switch {
		case errors.Is(err, io.EOF) && r.pages > 0:
			return 0, r.at(r.line, errors.New("the array is not closed"))
		case err != nil:
			return 0, err
		case c == '[':
			r.pages++
		case c == ']':
			r.pages--
		case c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ',':
			return c, nil
		}
	}
}

// find reads an object up to the value of a key, and returns the first byte of the value.
func (r *Reader) find(key string) (byte, error) {
	for {
		name, err := r.key()
		if err != nil {
			return 0, err
		}
		if name == nil {
			return 0, r.noList()
		}
		c, err := r.nextByte()
		if err != nil || string(name) == key {
			return c, err
		}

		// Another member may be as large as the file, so it isn't kept.
		if err := r.skipValue(c); err != nil {
			return 0, err
		}
	}
}

func (r *Reader) noList() error {
	return r.at(r.line, fmt.Errorf("there is no list at %q", strings.Join(r.path, ".")))
}

// leave reads the rest of the objects around the list. It returns an error if they do not end, or if they have another
// list that may be meant.
func (r *Reader) leave() error {
	for depth := len(r.path) - 1; depth >= 0; depth-- {
		if err := r.rest(r.path[:depth]); err != nil {
			return err
		}
	}
	return nil
}

// rest reads the rest of the members of an object.
func (r *Reader) rest(path []string) error {
	for {
		name, err := r.key()
		if err != nil || name == nil {
			return err
		}
		member := append(slices.Clone(path), string(name))
		c, err := r.nextByte()
		switch {
		case err != nil:
		case c == '{' && len(member) < maxListDepth:
			err = r.rest(member)
		case c == '[':
			err = r.otherList(member)
		default:
			err = r.skipValue(c)
		}

		if err != nil {
			return err
		}
	}
}

// otherList skips a list behind that of the freelancers. It returns an error if it may have freelancers as well.
func (r *Reader) otherList(path []string) error {
	r.open = 1
	element, begin, err := r.element()
	if err == nil && r.isRecord != nil && r.isRecord(element) {
		return r.at(begin, severalLists([]jsonList{{path: r.path}, {path: path}}))
	}
	for err == nil {
		_, _, err = r.element()
	}
	if errors.Is(err, errListEnd) {
		return nil
	}
	return err
}

// key reads the key of the next member of an object, and the colon. It returns nil at the end of the object.
func (r *Reader) key() ([]byte, error) {
	c, err := r.nextByte()
	for err == nil && c == ',' {
		c, err = r.nextByte()
	}

	switch {
	case err != nil:
		return nil, err
	case c == '}':
		return nil, nil
	case c != '"':
		return nil, r.at(r.line, fmt.Errorf("not valid JSON: %q where a key should be", c))
	}

	r.long = append(r.long[:0], c)
	for isEscaped := false; ; {
		if c, err = r.byteOf("object"); err != nil {
			return nil, err
		}
		if r.long = append(r.long, c); len(r.long) > table.MaxCell {
			return nil, r.at(r.line, errors.New("a key is larger than 1 MiB"))
		}
		if c == '"' && !isEscaped {
			break
		}

		isEscaped = c == '\\' && !isEscaped
	}

	var name string
	if err := json.Unmarshal(r.long, &name); err != nil {
		return nil, r.at(r.line, fmt.Errorf("not valid JSON: %w", err))
	}

	if c, err = r.nextByte(); err == nil && c != ':' {
		err = r.at(r.line, fmt.Errorf("not valid JSON: %q after a key", c))
	}

	return []byte(name), err
}

// nextByte returns the next byte that is not white space.
func (r *Reader) nextByte() (byte, error) {
	for {
		c, err := r.byteOf("object")
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// byteOf returns the next byte of a value that has not ended.
func (r *Reader) byteOf(value string) (byte, error) {
	c, err := r.readByte()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the %s is not closed; the file is incomplete", value)
	}
	return c, r.at(r.line, err)
}

// skipValue reads the rest of a value that begins with c, without keeping it.
func (r *Reader) skipValue(c byte) error {
	depth := 0
	inString := false
	isEscaped := false
	for {
		switch {
		case isEscaped:
			isEscaped = false
		case inString:
			isEscaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}

		// A number doesn't show its end, so the byte after it decides.
		next, err := r.in.Peek(1)
		endsHere := err == nil && strings.IndexByte(",}] \t\r\n", next[0]) >= 0
		isComplete := depth <= 0 && !inString
		if isComplete && endsHere {
			return nil
		}
		if c, err = r.byteOf("object"); err != nil {
			return err
		}
	}
}
