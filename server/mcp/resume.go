package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"

	"github.com/freelancer-matching/service/server/api/wire"
)

type parseInput struct {
	Text          string `json:"text,omitempty"`
	ContentBase64 string `json:"content_base64,omitempty"`
	Path          string `json:"path,omitempty"`
	Anonymize     bool   `json:"anonymize,omitempty"`
}

type parseOutput struct {
	RequestID string       `json:"request_id"`
	Quality   float64      `json:"quality"`
	Profile   resumeFields `json:"profile_data"`
}

// resumeFields are the part of a wire.Resume that tools use.
type resumeFields struct {
	Name                 *string        `json:"name"`
	JobTitle             *string        `json:"job_title"`
	Summary              *string        `json:"summary"`
	Contact              map[string]any `json:"contact"`
	Experience           []position     `json:"experience"`
	Education            []degree       `json:"education"`
	TotalExperienceYears *float64       `json:"total_experience_years"`
	Warnings             []any          `json:"warnings"`
	Freelancer           map[string]any `json:"freelancer"`
}

type position struct {
	Title   *string `json:"title"`
	Company *string `json:"company"`
	Start   *string `json:"start"`
	End     *string `json:"end"`
	Current bool    `json:"current"`
}

type degree struct {
	Degree      *string `json:"degree"`
	Field       *string `json:"field"`
	Institution *string `json:"institution"`
	End         *string `json:"end"`
}

// An apiResume is the part of a wire.Resume that tools use, and its quality.
type apiResume struct {
	resumeFields
	Quality struct {
		Score float64 `json:"score"`
	} `json:"quality"`
}

func (t *Tools) callParse(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	var in parseInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	file, err := t.resumeFile(&in)
	if err != nil {
		return nil, err
	}

	// The API takes a form, as from a browser; JSON would need a third more for base64.
	body, contentType, err := uploadForm(file)
	if err != nil {
		return nil, err
	}
	q := request{
		method: http.MethodPost, path: "/parse", headers: map[string]string{"Content-Type": contentType}, body: body,
	}
	if in.Anonymize {
		q.path += "?anonymize=true"
	}

	var answer wire.Answer[apiResume]
	if err := c.send(ctx, q, &answer); err != nil {
		return nil, err
	}
	out := &parseOutput{RequestID: answer.RequestID, Quality: answer.Data.Quality.Score, Profile: answer.Data.resumeFields}
	return &result{
		summary:    fmt.Sprintf("The fields of the resume; their quality is %.2f of 1.", out.Quality),
		data:       []any{out.Profile},
		structured: out,
	}, nil
}

// resumeFile returns the file in the arguments, which must be in exactly one of them.
func (t *Tools) resumeFile(in *parseInput) ([]byte, error) {
	sources := 0
	for _, sent := range []string{in.Text, in.ContentBase64, in.Path} {
		if sent != "" {
			sources++
		}
	}
	switch {
	case sources != 1:
		return nil, invalid("Send the resume in exactly one of %s.", t.resumeArguments())
	case in.Text != "":
		return []byte(in.Text), nil
	case in.Path != "":
		return t.sharedFile(in.Path)
	}

	file, err := base64.StdEncoding.DecodeString(in.ContentBase64)
	if err != nil {
		return nil, invalid("content_base64 must be in base64.")
	}
	return file, nil
}

// uploadForm returns a form with a file, and its Content-Type.
func uploadForm(file []byte) (body []byte, contentType string, err error) {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", "resume")
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		return nil, "", fmt.Errorf("write a form with a resume: %w", err) // it is in memory
	}
	return form.Bytes(), writer.FormDataContentType(), nil
}
