package flow

import (
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// Limits bound the work on one document. They are checked during reading, because the sizes that a file declares cannot
// be trusted.
type Limits struct {
	File       int   // bytes of the file
	Entries    int   // of an archive
	Ratio      int64 // of a part's size to its compressed size, beyond 100 KiB
	Part       int64 // bytes of one inflated part
	Total      int64 // bytes of all inflated parts
	Depth      int   // of nested elements, groups or cells
	Tokens     int   // tags, texts, comments and control words in all parts
	Paragraphs int
	Characters int // of visible text
}

// DefaultLimits returns limits that are far above any resume. The sizes and the ratio follow Apache POI's
// ZipSecureFile.
func DefaultLimits() Limits {
	return Limits{
		File:       10 << 20,
		Entries:    2000,
		Ratio:      100,
		Part:       32 << 20,
		Total:      64 << 20,
		Depth:      256,
		Tokens:     1_000_000,
		Paragraphs: 20_000,
		Characters: 500_000,
	}
}

// CheckSize returns an error for a file that is larger than the limit.
func (l Limits) CheckSize(file []byte) error {
	if len(file) > l.File {
		return TooComplex("The file has %d bytes, but the limit is %d.", len(file), l.File)
	}
	return nil
}

// TooComplex returns the error for a document that exceeds a limit. The format is a sentence that names the limit.
func TooComplex(format string, args ...any) error {
	return &matching.Error{
		Code:    resume.CodeTooComplex,
		Message: fmt.Sprintf(format, args...) + " Shorten or simplify the document and upload it again.",
	}
}

// Corrupt returns the error for a document that cannot be read. The problem is a sentence.
func Corrupt(problem string, cause error) error {
	return &matching.Error{
		Code:    resume.CodeCorrupt,
		Message: problem + " Open it in Word or LibreOffice, save it again and upload that.",
		Cause:   cause,
	}
}

// Encrypted returns the error for a document that only a password opens.
func Encrypted() error {
	return &matching.Error{
		Code:    resume.CodeEncrypted,
		Message: "The document is protected by a password. Remove the password and upload it again.",
	}
}

// IsFinal reports whether an error must end the reading of a document. Other errors are damage to a part of it.
func IsFinal(err error) bool {
	code := matching.CodeOf(err)
	return code == resume.CodeTooComplex || code == resume.CodeEncrypted
}
