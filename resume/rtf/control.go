package rtf

import (
	"strings"
	"unicode/utf16"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
)

// replaced are the control words and symbols that stand for characters.
var replaced = map[string]string{
	"tab": "\t", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "qmspace": " ", "bullet": "•",
	"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "~": "\u00A0", "_": "-", "{": "{", "}": "}",
	"\\": "\\", "zwj": "\u200D", "zwnj": "\u200C",
}

// hiddenGroups are the destinations whose text is not part of the document, apart from those that start with \*, which
// are skipped unless this package knows them.
var hiddenGroups = map[string]bool{
	"info": true, "pict": true, "objdata": true, "objclass": true, "objname": true, "sn": true, "sv": true,
	"shprslt": true, "nonshppict": true, "filetbl": true, "revtbl": true, "private": true, "comment": true,
	"annotation": true, "atnid": true, "atnauthor": true, "ftnsep": true, "ftnsepc": true, "ftncn": true,
	"xe": true, "tc": true, "tcn": true, "rxe": true, "txe": true, "bkmkstart": true, "bkmkend": true, "template": true,
	"falt": true, "panose": true, "fname": true, "listname": true, "themedata": true, "fldtype": true,
}

// control handles a control word or symbol.
func (d *document) control(t token) {
	// A control word counts as one of the fallback characters that stand for \u in old programs.
	if d.skip > 0 && t.word != "u" {
		d.skip--
		return
	}

	g := &d.group
	if d.destination(t) || g.to == skipped {
		return
	}

	if text, ok := replaced[t.word]; ok && !t.valued && text != "" {
		d.write(text)
		return
	}

	switch t.word {
	case "*":
		g.starred = true
	case "u":
		d.unicode(t.value)
	case "uc":
		g.fallbacks = min(max(t.value, 0), 16)
	case "ansicpg":
		d.page = t.value
	case "mac":
		d.page = 10000
	case "pc":
		d.page = 437
	case "pca":
		d.page = 850
	// These words come before the ";" that ends an entry of the color table.
	case "red", "green", "blue":
		d.rgb[strings.Index("rgb", t.word[:1])] = uint8(t.value)
	case "fcharset":
		f := d.fonts[d.entry]
		f.charset = t.value
		d.define(f)

	case "cpg":
		f := d.fonts[d.entry]
		f.page = t.value
		d.define(f)

	default:
		d.format(t)
		d.layout(t)
	}
}

func (d *document) define(f font) {
	const maxFonts = 10_000
	if d.group.to == fontTable && len(d.fonts) < maxFonts {
		d.fonts[d.entry] = f
	}
}

// destination handles control words that say what the text of the group is for. It reports whether the word was one.
func (d *document) destination(t token) bool {
	g := &d.group

	// A destination is the first word of its group. Elsewhere, the same word has no meaning.
	if !g.fresh {
		return false
	}

	known := true

	switch t.word {
	case "fonttbl":
		g.to = fontTable
	case "colortbl":
		g.to = colorTable
	case "stylesheet":
		g.to = styleSheet
	case "fldinst":
		if g.to == visible {
			g.to = fieldCode
			d.code = d.code[:0]
		}

	case "fldrslt":
		if address := flow.LinkTarget(string(d.code)); g.to == visible && address != "" {
			if !d.builder.InParagraph() {
				d.startParagraph()
			}
			d.builder.StartLink(address)
			g.close = d.endLink
		}

		d.code = d.code[:0]

	case "header", "headerl", "headerr", "headerf":
		d.startBox(resume.Header, false)
	case "footer", "footerl", "footerr", "footerf":
		d.startBox(resume.Footer, false)
	case "footnote":
		d.startBox(d.part, true)
	case "shptxt", "dptxbxtext":
		if g.to == parent {
			g.to = visible
		}
		d.startBox(d.part, false)

	case "shpinst", "do":
		g.to = d.orSkipped(parent)
	case "nonesttables":
		g.to = skipped
	case "nesttableprops": // has \nestrow
	// The group has the same text twice: for old programs, and in \ud as Unicode. Only the latter is shown.
	case "upr":
		g.to = d.orSkipped(parent)
	case "ud":
		if g.to == parent {
			g.to = visible
		}

	case "listtext", "pntext", "pn":
		g.to = skipped
		g.paragraph.bullet = d.outer[len(d.outer)-1].to == visible
	default:
		switch {
		// Readers must skip starred groups that they don't know. \*\shppict is known and may hold text.
		case hiddenGroups[t.word], g.starred && t.word != "*" && t.word != "shppict":
			g.to = skipped
		default:
			known = false
		}
	}

	return known
}

// orSkipped returns the destination, but not inside a skipped group.
func (d *document) orSkipped(to destination) destination {
	if d.group.to == skipped {
		return skipped
	}
	return to
}

func (d *document) endLink() {
	d.flush()
	d.builder.EndLink()
}

// startBox starts a group with lines of its own. They don't belong to the table around it.
func (d *document) startBox(part resume.Part, note bool) {
	if d.group.to != visible {
		return
	}

	// A box may start within a cell, so the state around it is restored at its end.
	tables := d.tables
	outer := d.part

	if part == d.part && !d.builder.InParagraph() {
		d.startParagraph()
	}

	d.builder.StartBox()
	d.group.plain()
	d.tables = nil
	d.part = part
	d.group.paragraph = paragraph{}
	d.group.close = func() {
		d.flush()
		d.closeTables(0)
		d.builder.EndBox(note)
		d.tables = tables
		d.part = outer
	}
}

// unicode handles \u, whose value is a signed unit of UTF-16.
func (d *document) unicode(value int) {
	d.skip = d.group.fallbacks
	r := rune(uint16(value))
	switch {
	case utf16.IsSurrogate(r) && r < 0xDC00:
		d.surrogate = r
		return
	case utf16.IsSurrogate(r):
		r = utf16.DecodeRune(d.surrogate, r)
	}

	d.surrogate = 0
	if d.group.to == fieldCode {
		d.code = append(d.code, string(r)...)
		return
	}

	// Symbol fonts have their characters in this private range, by the byte.
	if f := d.fonts[d.group.character.font]; r >= 0xF000 && r <= 0xF0FF && f.charset == symbolCharset {
		d.write(symbols([]byte{byte(r)}))
		return
	}

	d.write(string(r))
}

// format handles control words for the look of characters.
func (d *document) format(t token) {
	c := &d.group.character
	// \b and \b1 switch bold on, and \b0 off.
	on := !t.valued || t.value != 0

	switch t.word {
	case "plain":
		d.group.plain()
	case "b":
		c.look.Bold = on
	case "fs":
		c.look.HalfPoints = min(max(t.value, 1), 4000)
	case "v", "webhidden":
		c.hidden = on
	case "deleted":
		c.deleted = on
	case "f":
		// In the font table, the word starts the definition of a font.
		if d.group.to == fontTable {
			d.entry = t.value
		} else {
			c.font = t.value
		}

	case "cf":
		c.color = t.value
	case "cb", "chcbpat", "highlight":
		c.background = t.value
	}
}
