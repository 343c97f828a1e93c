package api

import (
	"context"

	"freelancer-matching/internal/tracing"
	"freelancer-matching/resume"
	"freelancer-matching/resume/anonymous"
	"freelancer-matching/server/api/endpoint"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Parser parses resumes. For a file that it cannot parse, it returns a matching.Error with a code of package resume.
type Parser interface {
	Parse(ctx context.Context, file []byte) (resume.Resume, error)
}

// resumes handles files with resumes.
type resumes struct {
	parser     Parser
	anonymizer *anonymous.Redactor
}

// parse handles POST /parse.
func (h *resumes) parse(ctx context.Context, call *endpoint.Call) error {
	file := call.Body
	if file.Err != nil {
		return file.Err
	}
	options, err := readParseOptions(call)
	if err != nil {
		return err
	}

	parsing, span := tracing.Start(ctx, "parse resume", tracing.Int("bytes", len(file.Data)))
	r, err := h.parser.Parse(parsing, file.Data)
	span.End(err)
	if err != nil {
		return err
	}

	if options.anonymous {
		r = h.anonymizer.Resume(r)
	}
	if options.jsonResume {
		return endpoint.WriteAnswer(call, wire.NewJSONResume(&r))
	}

	return endpoint.WriteAnswer(call, wire.NewResume(&r))
}

// parseOptions are the parameters of POST /parse.
type parseOptions struct{ anonymous, jsonResume bool }

func readParseOptions(call *endpoint.Call) (parseOptions, error) {
	var faults validate.Faults
	parameters := call.Query(&faults, "anonymize", "format")

	o := parseOptions{anonymous: validate.Boolean(&faults, "anonymize", parameters)}
	if format, ok := parameters["format"]; ok {
		validate.OneOf(&faults, "format", &format, "fields", "json_resume")
		o.jsonResume = format == "json_resume"
	}

	return o, faults.Err()
}
