package receive

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
)

// MaxJSON is the size of the largest JSON body, in bytes.
const MaxJSON = 1 << 20

// JSON returns a function that reads bodies of up to limit bytes.
func JSON(limit int64) func(*http.Request) (Body, error) {
	return func(r *http.Request) (Body, error) {
		text, err := Text(r, limit, "application/json")
		return Body{Data: text}, err
	}
}

// Text returns the body of a request with one of the media types. For an empty body it reports that first, whatever
// the Content-Type. It doesn't read bodies that are announced as too large.
func Text(r *http.Request, limit int64, types ...string) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, TooLarge(limit)
	}
	if r.ContentLength == 0 {
		return nil, strictjson.Malformed("The body is empty; send a JSON object.")
	}
	if err := checkMediaType(r.Header, types); err != nil {
		return nil, err
	}

	text, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, limit))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, TooLarge(tooLarge.Limit)
	}

	if err != nil {
		return nil, &matching.Error{
			Code: strictjson.CodeMalformedJSON, Message: "The body can't be read; check its chunked encoding.", Cause: err,
		}
	}

	return text, nil
}

func checkMediaType(h http.Header, types []string) error {
	if err := CheckEncoding(h); err != nil {
		return err
	}
	media, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || !slices.Contains(types, media) {
		return WrongContentType(h, strings.Join(types, " or "))
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return unsupported("The charset in Content-Type is " + validate.Quote(charset) + "; send utf-8.")
	}
	return nil
}

// WrongContentType returns the error for a body of another media type than wanted.
func WrongContentType(h http.Header, want string) error {
	if sent := h.Get("Content-Type"); sent != "" {
		return unsupported("Content-Type is " + validate.Quote(sent) + "; send " + want + ".")
	}
	return unsupported("Content-Type is missing; send " + want + ".")
}

// CheckEncoding returns an error if a body is compressed.
func CheckEncoding(h http.Header) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return unsupported("Content-Encoding " + validate.Quote(encoding) + " is not supported; send the body uncompressed.")
	}
	return nil
}

func unsupported(message string) error {
	return &matching.Error{Code: CodeUnsupportedMediaType, Message: message}
}

// TooLarge returns the error for a body of more than limit bytes.
func TooLarge(limit int64) error {
	return &matching.Error{
		Code:    CodeBodyTooLarge,
		Message: fmt.Sprintf("The body exceeds the limit of %d bytes.", limit),
	}
}
