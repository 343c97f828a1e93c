package matches

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// TextReader reads the running text of documents, up to limit characters. For a file that it cannot read, it returns a
// matching.Error with a code of package resume.
type TextReader interface {
	Text(ctx context.Context, file []byte, limit int) (resume.Text, error)
}

// Documents handles briefs whose description is a document.
type Documents struct {
	Briefs *Briefs
	Reader TextReader
	Slots  *admission.Gate // for matches
}

// Match handles POST /match/document. It holds the slot for parsing while it matches, which takes little time in
// comparison.
func (h *Documents) Match(ctx context.Context, call *endpoint.Call) error {
	body := call.Body
	if body.Err != nil {
		return body.Err
	}

	var request wire.MatchRequest
	var faults validate.Faults
	if body.Request != nil {
		if err := strictjson.Decode(body.Request, &request, &faults); err != nil {
			return inField(receive.RequestField, err)
		}
	}

	// Reading a document takes seconds, so the other fields are checked first, with a description in its place.
	if request.Description != "" {
		faults.Add("description", "unexpected", "description must be absent; the document takes its place.")
	}
	form := readUnknown(call, &faults)
	request.Description = "document"
	request.Brief(call.Caller.Plan, &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	reading, span := tracing.Start(ctx, "read document", tracing.Int("bytes", len(body.Data)))
	text, err := h.Reader.Text(reading, body.Data, wire.MaxDescription)
	span.End(err)
	if err != nil {
		return err
	}

	leave, err := h.Slots.Await(ctx, call.Caller.Account)
	if err != nil {
		return err
	}
	defer leave()

	request.Description = text.Text
	answer, err := h.Briefs.answer(ctx, call, &request, &faults, briefOptions{form: form})
	if err != nil {
		return err
	}

	answer.Brief = wire.NewDocumentBrief(&text)
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

// inField returns an error about the body as one about a field of the form.
func inField(field string, err error) error {
	e, ok := errors.AsType[*matching.Error](err)
	if !ok {
		return err
	}
	return &matching.Error{Code: e.Code, Message: strings.Replace(e.Message, "The body", field, 1), Cause: err}
}
