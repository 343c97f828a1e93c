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

// parseTSV parses Tesseract's table: a row for each block, paragraph, line and word. It skips rows that are no words.
func parseTSV(output []byte) []Word {
	const ( // columns
		level = iota
		_
		block
		paragraph
		lineNumber
		_
		left
		top
		width
		height
		confidence
		text
		columns
	)

	const wordLevel, maxWord, maxPixels = 5, 200, 1 << 20
	var words []Word
	line, number := "", 0
	for row := range strings.Lines(strings.ToValidUTF8(string(output), "")) {
		cells := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
		if len(cells) != columns || cells[level] != strconv.Itoa(wordLevel) {
			continue
		}

		if key := strings.Join(cells[block:lineNumber+1], " "); key != line {
			line = key
			number++
		}

		var box [4]int
		valid := true
		for i := range box {
			n, err := strconv.Atoi(cells[left+i])
			box[i] = n
			valid = valid && err == nil && 0 <= n && n < maxPixels
		}

		c, err := strconv.ParseFloat(cells[confidence], 64)
		word := strings.TrimSpace(cells[text])
		if !valid || err != nil || !(c >= minConfidence*100) || word == "" || utf8.RuneCountInString(word) > maxWord {
			continue
		}

		words = append(words, Word{
			Text: word, Left: box[0], Top: box[1], Right: box[0] + box[2], Bottom: box[1] + box[3], Line: number,
			Confidence: min(c/100, 1),
		})
	}

	return slices.Clip(words)
}
