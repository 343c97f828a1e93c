package api

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

const (
	fileField = "file"
	maxFile   = resume.MaxFile
	// maxUpload is a body with one file: the rest is for what multipart puts around it.
	maxUpload = maxFile + 64<<10
	// maxUploads is how many files are received, or wait to be read, at once. They are kept in memory: 80 MiB.
	maxUploads = 8
	// uploadTime is what a file may take to arrive, on top of the time of a request: as much as the server waits for any body.
	uploadTime = 30 * time.Second
	// maxBoundary is the longest boundary line that is looked for: -- and 70 characters, which RFC 2046 allows.
	maxBoundary = 2 + 70
)

// CodeMalformedMultipart is a body that is no form with files.
const CodeMalformedMultipart matching.Code = "malformed_multipart"

// upload is a file that a request has brought, or why it has not.
type upload struct {
	file []byte
	err  error
}

// receive takes in the file of a request before its turn comes, so that nobody waits for a slow client. What is wrong with it is
// told when the request is charged.
func receive(c *gin.Context) {
	var u upload
	if c.Request.ContentLength > maxUpload {
		u.err = errFileTooLarge() // before a byte of it is read
	} else {
		c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxUpload)
		u.file, u.err = readFile(c.Request)
	}
	c.Set(contextUpload, u)
	c.Next()
}

// uploaded is what receive took in.
func uploaded(c *gin.Context) ([]byte, error) {
	u := c.MustGet(contextUpload).(upload) //nolint:forcetypeassert // receive stands before every route that asks
	return u.file, u.err
}

func malformedMultipart(message string, cause error) error {
	return &matching.Error{Code: CodeMalformedMultipart, Message: message, Cause: cause}
}

// readFile is the content of the one file of a multipart form. The name and the type that the client gives the
// file say nothing that can be relied on, and are passed over.
func readFile(r *http.Request) ([]byte, error) {
	parts, err := formReader(r)
	if err != nil {
		return nil, err
	}
	var f faults
	var file bytes.Buffer
	found := 0
	for {
		part, err := parts.NextRawPart() // raw: a part that says to be quoted-printable is a file all the same
		// A wrapped EOF means that the last boundary is missing.
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, uploadError(err)
		}
		if name := part.FormName(); name != fileField {
			unknownField(&f, "", name, []string{fileField})
			continue
		}
		if found++; found > 1 {
			continue
		}
		file.Grow(bytes.MinRead + int(min(max(r.ContentLength, 0), maxFile))) // at once, rather than twice that in steps
		if n, err := file.ReadFrom(io.LimitReader(part, maxFile+1)); err != nil {
			return nil, uploadError(err)
		} else if n > maxFile {
			return nil, errFileTooLarge()
		}
	}
	switch {
	case found == 0:
		f.add(fileField, "required", "the form has no field %s, send the file in it", fileField)
	case found > 1:
		f.add(fileField, "duplicate_field", "%s is there %d times, send one file", fileField, found)
	case file.Len() == 0:
		f.add(fileField, "empty", "%s is an empty file", fileField)
	}
	return file.Bytes(), f.err()
}

func errFileTooLarge() error {
	return &matching.Error{Code: CodeBodyTooLarge, Message: fmt.Sprintf("the file must not be larger than %d bytes", maxFile)}
}

// formReader reads the parts of a multipart body. Clients of the older service label it application/json: there the boundary is
// taken from the first line.
func formReader(r *http.Request) (*multipart.Reader, error) {
	if r.ContentLength == 0 {
		return nil, malformedMultipart("the body is empty, it must be a form (multipart/form-data) with a file", nil)
	}
	if err := checkEncoding(r.Header); err != nil {
		return nil, err
	}
	sent := r.Header.Get("Content-Type")
	media, parameters, err := mime.ParseMediaType(sent)
	switch {
	case err == nil && media == "multipart/form-data" && parameters["boundary"] != "":
		return multipart.NewReader(r.Body, parameters["boundary"]), nil
	case err == nil && media == "multipart/form-data":
		return nil, malformedMultipart("Content-Type lacks the boundary of the form", nil)
	case err == nil && media == "application/json":
		body := bufio.NewReader(r.Body)
		if boundary := firstBoundary(body); boundary != "" {
			return multipart.NewReader(body, boundary), nil
		}
	}
	return nil, unsupported("Content-Type must be multipart/form-data, got " + shown(sent))
}

// firstBoundary is the boundary of a body that begins with one, "" for any other. It reads nothing away.
func firstBoundary(body *bufio.Reader) string {
	head, _ := body.Peek(maxBoundary + len("\r\n")) // a short body is as good
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
	return malformedMultipart("the body is not a whole form: it ended early, or its boundaries are not those of Content-Type", err)
}
