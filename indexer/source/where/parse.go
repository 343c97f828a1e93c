package where

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse parses a clause:
//
//	clause    = part {("and" | "or") part}, where "and" comes before "or"
//	part      = "not" part | "(" clause ")" | column operator value | column ["not"] "in" "(" value {"," value} ")"
//	operator  = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
//
// Columns and values are words, or are in quotes if they have other characters or the words and, or.
func Parse(text string) (*Clause, error) {
	if len(text) > maxLength {
		return nil, fmt.Errorf("where: the clause is longer than %d bytes", maxLength)
	}
	tokens, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("where: %w", err)
	}

	p := &parser{tokens: tokens}
	root, err := p.clause()
	if err == nil && !p.isAtEnd() {
		err = p.expected("and, or, or the end")
	}
	if err != nil {
		return nil, fmt.Errorf("where: %w", err)
	}

	return &Clause{root: root}, nil
}

// A token is a word, a quoted text or a symbol.
type token struct {
	kind tokenKind
	text string
}

type tokenKind int

const (
	word tokenKind = iota
	quotedText
	symbol
)

// symbols has the operators and brackets, and the spelling that stands for each. Longer ones come first.
var symbols = []struct{ written, means string }{
	{"==", "="},
	{"!=", "!="},
	{"<>", "!="},
	{"<=", "<="},
	{">=", ">="},
	{"&&", "and"},
	{"||", "or"},
	{"≠", "!="},
	{"≤", "<="},
	{"≥", ">="},
	{"=", "="},
	{"<", "<"},
	{">", ">"},
	{"~", "~"},
	{"!", "not"},
	{"(", "("},
	{")", ")"},
	{",", ","},
}

// split splits a clause into tokens.
func split(text string) (tokens []token, err error) {
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return tokens, nil
		}

		var next token
		if strings.ContainsRune("\"'`", rune(text[0])) {
			next, text, err = cutQuoted(text)
		} else {
			next, text = cutUnquoted(text)
		}
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, next)
	}
}

// cutQuoted cuts a quoted text off the start. A doubled quote stands for one.
func cutQuoted(text string) (token, string, error) {
	quote := text[:1]
	var content strings.Builder
	rest := text[1:]
	for {
		before, after, ok := strings.Cut(rest, quote)
		if !ok {
			return token{}, "", fmt.Errorf("the quote %s is not closed", quote)
		}
		content.WriteString(before)

		if !strings.HasPrefix(after, quote) {
			return token{quotedText, content.String()}, after, nil
		}
		content.WriteString(quote)
		rest = after[1:]
	}
}

// cutUnquoted cuts a symbol or a word off the start.
func cutUnquoted(text string) (next token, rest string) {
	if s, rest, ok := cutSymbol(text); ok {
		return token{symbol, s}, rest
	}

	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		_, _, isSymbol := cutSymbol(text[end:])
		if isSymbol || unicode.IsSpace(r) {
			break
		}
		end += size
	}

	return token{word, text[:end]}, text[end:]
}

func cutSymbol(text string) (means, rest string, ok bool) {
	for _, s := range symbols {
		if rest, ok := strings.CutPrefix(text, s.written); ok {
			return s.means, rest, true
		}
	}
	return "", text, false
}

// A parser parses tokens from left to right.
type parser struct {
	tokens     []token
	at         int // the next token
	depth      int
	conditions int
}

func (p *parser) isAtEnd() bool { return p.at == len(p.tokens) }

// isKeyword reports whether the token at a place is a keyword or a symbol.
func (p *parser) isKeyword(at int, text string) bool {
	if at >= len(p.tokens) {
		return false
	}
	t := p.tokens[at]
	return t.kind == symbol && t.text == text || t.kind == word && strings.EqualFold(t.text, text)
}

// accept skips the next token if it is a keyword or a symbol.
func (p *parser) accept(text string) bool {
	if !p.isKeyword(p.at, text) {
		return false
	}
	p.at++
	return true
}

// expected returns an error about the next token.
func (p *parser) expected(what string) error {
	if p.isAtEnd() {
		return fmt.Errorf("the clause ends where %s should follow", what)
	}
	return fmt.Errorf("want %s, not %q; put names and values with other characters than letters and digits, or with the "+
		"words and, or, into quotes", what, p.tokens[p.at].text)
}

func (p *parser) clause() (node, error) { return p.junction("or", false, p.conjunction) }

func (p *parser) conjunction() (node, error) { return p.junction("and", true, p.part) }

// junction parses parts between keywords.
func (p *parser) junction(keyword string, all bool, parse func() (node, error)) (node, error) {
	first, err := parse()
	if err != nil {
		return nil, err
	}
	parts := []node{first}
	for p.accept(keyword) {
		next, err := parse()
		if err != nil {
			return nil, err
		}
		parts = append(parts, next)
	}

	if len(parts) == 1 {
		return first, nil
	}
	return &junction{parts: parts, all: all}, nil
}

// part parses a negation, a clause in parentheses, or a comparison.
func (p *parser) part() (node, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, fmt.Errorf("more than %d nested parentheses and negations", maxDepth)
	}

	switch {
	case p.accept("not"):
		part, err := p.part()
		return &negation{part}, err

	case p.accept("("):
		inner, err := p.clause()
		if err == nil && !p.accept(")") {
			err = p.expected("and, or, or )")
		}
		return inner, err
	}

	if p.conditions++; p.conditions > maxConditions {
		return nil, fmt.Errorf("more than %d conditions", maxConditions)
	}
	return p.comparison()
}

// operators has what each operator does. != is the negation of =.
var operators = map[string]func(cell string, v literal) bool{
	"=":  equals,
	"!=": equals,
	"~":  contains,
	"<":  ordered(func(order int) bool { return order < 0 }),
	"<=": ordered(func(order int) bool { return order <= 0 }),
	">":  ordered(func(order int) bool { return order > 0 }),
	">=": ordered(func(order int) bool { return order >= 0 }),
}

// comparison parses a column, an operator and what the column is compared with.
func (p *parser) comparison() (node, error) {
	column, err := p.operand("the name of a column", func() bool {
		return p.isKeyword(p.at, "in") && p.isKeyword(p.at+1, "(") ||
			p.isKeyword(p.at, "not") && p.isKeyword(p.at+1, "in") && p.isKeyword(p.at+2, "(")
	})
	if err != nil {
		return nil, err
	}

	column = strings.TrimSpace(column)
	if column == "" {
		return nil, errors.New("the name of a column is empty")
	}

	isNegated := p.accept("not")
	if p.accept("in") {
		values, err := p.list()
		return negatedIf(isNegated, &comparison{column, equals, values}), err
	}

	operator := p.operator()
	if operator == "" {
		return nil, p.expected(fmt.Sprintf("one of =, !=, <, <=, >, >=, ~ (contains) and in after %q", column))
	}
	text, err := p.operand("a value", p.isAtConnective)
	if err != nil {
		return nil, err
	}

	v := newLiteral(text)
	isOrder := strings.ContainsAny(operator, "<>")
	if isOrder && !v.isNumber && v.date == "" {
		return nil, fmt.Errorf("%s compares numbers and dates such as 2026-01-31, and %q is neither", operator, text)
	}

	if operator == "!=" {
		isNegated = !isNegated
	}
	return negatedIf(isNegated, &comparison{column, operators[operator], []literal{v}}), nil
}

// operator skips the next token and returns it, if it is an operator, or else returns "".
func (p *parser) operator() string {
	if p.isAtEnd() || p.tokens[p.at].kind != symbol || operators[p.tokens[p.at].text] == nil {
		return ""
	}
	p.at++
	return p.tokens[p.at-1].text
}

// isAtConnective reports whether the next token ends a value.
func (p *parser) isAtConnective() bool { return p.isKeyword(p.at, "and") || p.isKeyword(p.at, "or") }

func negatedIf(isNegated bool, part node) node {
	if isNegated {
		return &negation{part}
	}
	return part
}

// operand parses a quoted text, or words up to a symbol or the end.
func (p *parser) operand(what string, isEnd func() bool) (string, error) {
	if !p.isAtEnd() && p.tokens[p.at].kind == quotedText {
		p.at++
		return p.tokens[p.at-1].text, nil
	}

	var words []string
	for !p.isAtEnd() && p.tokens[p.at].kind == word && !isEnd() {
		words = append(words, p.tokens[p.at].text)
		p.at++
	}
	if len(words) == 0 {
		return "", p.expected(what)
	}

	return strings.Join(words, " "), nil
}

// list parses the values after in.
func (p *parser) list() (values []literal, err error) {
	if !p.accept("(") {
		return nil, p.expected("( after in")
	}
	for {
		text, err := p.operand("a value", func() bool { return false })
		if err != nil {
			return nil, err
		}
		values = append(values, newLiteral(text))

		switch {
		case p.accept(")"):
			return values, nil
		case !p.accept(","):
			return nil, p.expected(", or )")
		}
	}
}
