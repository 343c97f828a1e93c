package receive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/validate"
)

const (
	fileField = "file"
	// RequestField is the form field with the JSON beside the file.
	RequestField = "request"
	// MaxFile is the maximum size of the file in bytes.
	MaxFile = resume.MaxFile
	// MaxUpload is the largest body, in bytes: one file and the multipart headers around it.
	MaxUpload = MaxFile + 64<<10
	// maxBoundary is the longest boundary line: two hyphens and the 70 characters that RFC 2046 allows.
	maxBoundary = 2 + 70
)

// CodeMalformedMultipart is the code for a body that is not a multipart form.
const CodeMalformedMultipart matching.Code = "malformed_multipart"

func malformedMultipart(message string, cause error) error {
	return &matching.Error{Code: CodeMalformedMultipart, Message: message, Cause: cause}
}

// File returns the content of the only file in a multipart form.
func File(r *http.Request) (Body, error) { return readForm(r, fileField) }

// Document returns the content of the only file in a multipart form, and the JSON beside it.
func Document(r *http.Request) (Body, error) { return readForm(r, fileField, RequestField) }

// readForm returns the content of the fields of a multipart form: one file, and JSON if known has requestField. It
// ignores the file's name and type, because clients often send wrong ones. It doesn't read bodies that are announced as
// too large.
func readForm(r *http.Request, known ...string) (body Body, err error) {
	limit := int64(MaxUpload)
	if slices.Contains(known, RequestField) {
		limit += MaxJSON
	}

	if r.ContentLength > limit {
		return body, errFileTooLarge()
	}
	r.Body = http.MaxBytesReader(nil, r.Body, limit)
	parts, err := formReader(r)
	if err != nil {
		return body, err
	}

	var faults validate.Faults
	count := map[string]int{}

	for {
		part, err := parts.NextRawPart() // raw: never decodes quoted-printable, because the part is a file anyway
		if err == io.EOF {               // not errors.Is: a wrapped EOF means that the last boundary is missing
			break
		}
		if err != nil {
			return body, uploadError(err)
		}

		name := part.FormName()
		if !slices.Contains(known, name) {
			faults.AddUnknown("", name, known)
			continue
		}

		// The error names the number of parts, so all of them are counted.
		if count[name]++; count[name] > 1 {
			continue
		}

		var unread error
		if name == RequestField {
			body.Request, unread = readPart(part, MaxJSON, 0, errRequestTooLarge)
		} else {
			body.Data, unread = readPart(part, MaxFile, r.ContentLength, errFileTooLarge)
		}

		if unread != nil {
			return body, unread
		}
	}

	switch n := count[fileField]; {
	case n == 0:
		faults.Add(fileField, "required", "%s is missing; send a document, such as a PDF or DOCX file, in this form field.",
			fileField)
	case n > 1:
		faults.Add(fileField, "duplicate_field", "%s appears %d times; send one file.", fileField, n)
	case len(body.Data) == 0:
		faults.Add(fileField, "empty", "%s is empty; send a document with text.", fileField)
	}

	if n := count[RequestField]; n > 1 {
		faults.Add(RequestField, "duplicate_field", "%s appears %d times; send it once.", RequestField, n)
	}

	return body, faults.Err()
}

// readPart returns a part of up to limit bytes. The expected size, if it is known, saves repeated growth.
func readPart(part io.Reader, limit, expected int64, tooLarge func() error) ([]byte, error) {
	var content bytes.Buffer
	content.Grow(bytes.MinRead + int(min(max(expected, 0), limit)))
	n, err := content.ReadFrom(io.LimitReader(part, limit+1))
	switch {
	case err != nil:
		return nil, uploadError(err)
	case n > limit:
		return nil, tooLarge()
	}
	return content.Bytes(), nil
}

func errFileTooLarge() error {
	return &matching.Error{
		Code: CodeBodyTooLarge, Message: fmt.Sprintf("The file exceeds the limit of %d bytes.", MaxFile),
	}
}

func errRequestTooLarge() error {
	return &matching.Error{
		Code: CodeBodyTooLarge, Message: fmt.Sprintf("%s exceeds the limit of %d bytes.", RequestField, MaxJSON),
	}
}

// formReader returns a reader for the parts of a multipart body. Clients of the older service send it as
// application/json: formReader then takes the boundary from the first line.
func formReader(r *http.Request) (*multipart.Reader, error) {
	if r.ContentLength == 0 {
		return nil, malformedMultipart("The body is empty; send multipart/form-data with a document in the field file.", nil)
	}
	if err := CheckEncoding(r.Header); err != nil {
		return nil, err
	}

	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && media == "multipart/form-data" && parameters["boundary"] != "":
		return multipart.NewReader(r.Body, parameters["boundary"]), nil
	case err == nil && media == "multipart/form-data":
		return nil, malformedMultipart("Content-Type has no boundary; add the boundary of the form.", nil)
	case err == nil && media == "application/json": // from clients of the older service
		body := bufio.NewReader(r.Body)
		if boundary := firstBoundary(body); boundary != "" {
			return multipart.NewReader(body, boundary), nil
		}
	}

	return nil, WrongContentType(r.Header, "multipart/form-data")
}

// firstBoundary returns the boundary on the first line of a body, or "" if that line is not a boundary. It consumes
// nothing.
func firstBoundary(body *bufio.Reader) string {
	head, _ := body.Peek(maxBoundary + len("\r\n")) // returns what there is of a shorter body
	line, _, ended := bytes.Cut(head, []byte("\r\n"))
	boundary, dashed := strings.CutPrefix(string(line), "--")
	if !ended || !dashed || strings.TrimSpace(boundary) != boundary {
		return ""
	}
	return boundary
}

func uploadError(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errFileTooLarge()
	}
	return malformedMultipart("The form is incomplete: the body ended early, or its boundary differs from the one in "+
		"Content-Type.", err)
}
