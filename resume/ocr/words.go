package ocr

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Word is a word of a picture. Its box is in pixels, from the top left corner.
type Word struct {
	Text                     string
	Left, Top, Right, Bottom int
	Line                     int     // equal for the words of a line, which are adjacent
	Confidence               float64 // 0 to 1
}

// minConfidence is the confidence below which a word is more likely a stain, a line or a part of a drawing.
const minConfidence = .25

// The columns of Tesseract's table.
const (
	columnLevel = iota
	_           // page
	columnBlock
	columnParagraph
	columnLine
	_ // word
	columnLeft
	columnTop
	columnWidth
	columnHeight
	columnConfidence
	columnText
	numColumns
)

// parseTSV parses Tesseract's table: a row for each block, paragraph, line and word. It skips rows that are no words.
func parseTSV(output []byte) []Word {
	const wordLevel = "5"
	var words []Word
	currentLine := ""
	lineNumber := 0

	for row := range strings.Lines(strings.ToValidUTF8(string(output), "")) {
		cells := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
		if len(cells) != numColumns || cells[columnLevel] != wordLevel {
			continue
		}

		// Tesseract numbers the lines of each paragraph from 1, so a line needs all three numbers.
		line := strings.Join(cells[columnBlock:columnLine+1], " ")
		if line != currentLine {
			currentLine = line
			lineNumber++
		}

		if word, ok := parseWord(cells); ok {
			word.Line = lineNumber
			words = append(words, word)
		}
	}

	return slices.Clip(words)
}

// parseWord parses the row of a word. It returns false if a number is invalid, if the word is empty or longer than any
// word, or if Tesseract isn't confident.
func parseWord(cells []string) (word Word, ok bool) {
	const maxWord, maxPixels = 200, 1 << 20
	var box [4]int // left, top, width, height
	for i := range box {
		n, err := strconv.Atoi(cells[columnLeft+i])
		if err != nil || n < 0 || n >= maxPixels {
			return Word{}, false
		}
		box[i] = n
	}

	percent, err := strconv.ParseFloat(cells[columnConfidence], 64)
	confident := percent >= minConfidence*100 // false for NaN
	if err != nil || !confident {
		return Word{}, false
	}

	text := strings.TrimSpace(cells[columnText])
	if text == "" || utf8.RuneCountInString(text) > maxWord {
		return Word{}, false
	}

	return Word{
		Text: text, Left: box[0], Top: box[1], Right: box[0] + box[2], Bottom: box[1] + box[3],
		Confidence: min(percent/100, 1),
	}, true
}
