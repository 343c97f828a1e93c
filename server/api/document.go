package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/tracing"
	"freelancer-matching/resume"
	"freelancer-matching/server/api/strictjson"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Documents reads the running text of documents, up to limit characters. For a file that it cannot read, it returns a
// matching.Error with a code of package resume.
type Documents interface {
	Text(ctx context.Context, file []byte, limit int) (resume.Text, error)
}

// matchDocument matches a brief whose description is a document. It holds the slot for parsing while it matches, which
// takes little time in comparison.
func (s *Server) matchDocument(c *gin.Context) error {
	body := bodyOf(c)
	if body.err != nil {
		return body.err
	}
	var request wire.MatchRequest
	var faults validate.Faults

	if body.request != nil {
		if err := strictjson.Decode(body.request, &request, &faults); err != nil {
			return inField(requestField, err)
		}
	}

	if request.Description != "" {
		faults.Add("description", "unexpected", "description must be absent; the document takes its place.")
	}
	request.Description = "document" // the fields are checked before the document is read
	request.Brief(keyPlan(c), &faults)

	if err := faults.Err(); err != nil {
		return err
	}
	ctx, span := tracing.Start(c.Request.Context(), "read document", tracing.Int("bytes", len(body.data)))
	text, err := s.deps.Documents.Text(ctx, body.data, wire.MaxDescription)
	span.End(err)

	if err != nil {
		return err
	}
	leave, err := s.gates.matches.Await(c.Request.Context(), ownerOf(keyOf(c)))
	if err != nil {
		return err
	}
	defer leave()

	request.Description = text.Text
	x := exchangeOf(c)
	x.uploaded = true
	answer, err := s.matchBrief(c, c.Request.Context(), x, &request, &faults)
	if err != nil {
		return err
	}

	answer.Brief = wire.NewDocumentBrief(&text)
	return writeJSON(c, http.StatusOK, jsonType, answer)
}

// inField returns an error about the body as one about a field of the form.
func inField(field string, err error) error {
	e, ok := errors.AsType[*matching.Error](err)
	if !ok {
		return err
	}
	return &matching.Error{Code: e.Code, Message: strings.Replace(e.Message, "The body", field, 1), Cause: err}
}
