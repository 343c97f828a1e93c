package rtf

import (
	"errors"
	"strconv"
)

// A kind is a kind of token.
type kind uint8

const (
	groupStart kind = iota
	groupEnd
	control // a control word or symbol: \par, \~
	text    // bytes in the current code page
	end
)

// A token is a piece of a file.
type token struct {
	kind   kind
	word   string // of a control, without the backslash
	value  int    // of a control
	valued bool   // the control has a value
	bytes  []byte // of a text, or the byte of \'hh
}

// A lexer splits a file into tokens.
type lexer struct {
	rest []byte
}

var errUnfinished = errors.New("the file ends inside a group")

// next returns the next token. Line ends in the file mean nothing.
func (l *lexer) next() token {
	for len(l.rest) > 0 && (l.rest[0] == '\r' || l.rest[0] == '\n' || l.rest[0] == 0) {
		l.rest = l.rest[1:]
	}

	if len(l.rest) == 0 {
		return token{kind: end}
	}

	switch l.rest[0] {
	case '{':
		l.rest = l.rest[1:]
		return token{kind: groupStart}
	case '}':
		l.rest = l.rest[1:]
		return token{kind: groupEnd}
	case '\\':
		return l.control()
	}

	n := 0
	for n < len(l.rest) && !isSpecial(l.rest[n]) {
		n++
	}

	t := token{kind: text, bytes: l.rest[:n]}
	l.rest = l.rest[n:]

	return t
}

func isSpecial(c byte) bool {
	return c == '{' || c == '}' || c == '\\' || c == '\r' || c == '\n' || c == 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// control reads a control word with its value, a control symbol, or \'hh, which is text. A space ends a word and
// belongs to it. The bytes after \bin are skipped.
func (l *lexer) control() token {
	const maxWord = 32 // bytes, by the specification
	rest := l.rest[1:]
	n := 0
	for n < len(rest) && n < maxWord && isLetter(rest[n]) {
		n++
	}

	if n == 0 {
		return l.symbol(rest)
	}

	t := token{kind: control, word: string(rest[:n])}
	rest = rest[n:]
	n = 0
	if len(rest) > 1 && rest[0] == '-' && isDigit(rest[1]) {
		n++
	}

	const maxDigits = 10
	for n < len(rest) && n <= maxDigits && isDigit(rest[n]) {
		n++
	}

	// A value may have a minus sign, and more digits than the specification allows are read as text.
	if n > 0 {
		t.valued = true
		t.value, _ = strconv.Atoi(string(rest[:n]))
		rest = rest[n:]
	}

	if len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}

	// Binary data may contain braces and backslashes, so it is skipped by its length.
	if t.word == "bin" {
		rest = rest[min(max(t.value, 0), len(rest)):]
	}

	l.rest = rest

	return t
}

// symbol reads a control symbol.
func (l *lexer) symbol(rest []byte) token {
	if len(rest) == 0 {
		l.rest = nil
		return token{kind: end}
	}
	if rest[0] == '\'' && len(rest) >= 3 {
		if b, err := strconv.ParseUint(string(rest[1:3]), 16, 8); err == nil {
			l.rest = rest[3:]
			return token{kind: text, bytes: []byte{byte(b)}, valued: true}
		}
	}
	l.rest = rest[1:]
	return token{kind: control, word: string(rest[:1])}
}
