package matching

import (
	"context"
	"io"
)

// Resumes reads résumés in PDF, DOCX, ODT, RTF, HTML or plain text, up to 10 MiB.
type Resumes struct{ transport *transport }

// Parse extracts the fields of a résumé, and the draft of a freelancer's record. It takes Anonymize and
// IncludeText.
func (s *Resumes) Parse(ctx context.Context, file io.Reader, options ...Option) (Resume, error) {
	return read[Resume](ctx, s.transport, "/api/v1/parse", file, options)
}

// ToJSONResume returns a résumé in the format of jsonresume.org. It takes Anonymize.
func (s *Resumes) ToJSONResume(ctx context.Context, file io.Reader, options ...Option) (JSONResume, error) {
	return read[JSONResume](ctx, s.transport, "/api/v1/parse/json-resume", file, options)
}

func read[T any](ctx context.Context, t *transport, path string, file io.Reader, options []Option) (T, error) {
	r, err := upload(path, file, nil)
	if err != nil {
		var none T
		return none, err
	}
	return call[T](ctx, t, r, options...)
}
