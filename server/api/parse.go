package api

import (
	"context"
	"time"

	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/anonymous"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
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
	options, err := readParseOptions(call, "format", "include")
	if err != nil {
		return err
	}

	r, err := h.read(ctx, call, options)
	if err != nil {
		return err
	}

	// Before /parse/json-resume, this operation had responses of two forms.
	if options.jsonResume {
		call.Deprecate(jsonResumeMoved)
		return endpoint.WriteAnswer(call, wire.NewJSONResume(&r))
	}

	answer := wire.NewResume(&r)
	if options.withText {
		answer.Text = wire.NewResumeText(&r)
	}
	return endpoint.WriteAnswer(call, answer)
}

// jsonResumeMoved is the end of format=json_resume.
var jsonResumeMoved = endpoint.Deprecation{
	Since:     time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC),
	Until:     time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC),
	Successor: basePath + "/parse/json-resume",
}

// convert handles POST /parse/json-resume.
func (h *resumes) convert(ctx context.Context, call *endpoint.Call) error {
	options, err := readParseOptions(call)
	if err != nil {
		return err
	}
	r, err := h.read(ctx, call, options)
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.NewJSONResume(&r))
}

// read parses the file of a call.
func (h *resumes) read(ctx context.Context, call *endpoint.Call, o parseOptions) (resume.Resume, error) {
	file := call.Body
	if file.Err != nil {
		return resume.Resume{}, file.Err
	}

	parsing, span := tracing.Start(ctx, "parse resume", tracing.Int("bytes", len(file.Data)))
	r, err := h.parser.Parse(parsing, file.Data)
	span.End(err)
	if err != nil {
		return resume.Resume{}, err
	}

	if o.anonymous {
		r = h.anonymizer.Resume(r)
	}
	return r, nil
}

// parseOptions are the parameters of an operation that parses a resume.
type parseOptions struct{ anonymous, jsonResume, withText bool }

// readParseOptions reads anonymize and the other named parameters.
func readParseOptions(call *endpoint.Call, others ...string) (parseOptions, error) {
	var faults validate.Faults
	parameters := call.Query(&faults, append(others, "anonymize")...)

	o := parseOptions{anonymous: validate.Boolean(&faults, "anonymize", parameters)}
	if format, ok := parameters["format"]; ok {
		validate.OneOf(&faults, "format", &format, "fields", "json_resume")
		o.jsonResume = format == "json_resume"
	}

	include, asked := parameters["include"]
	if !asked {
		return o, faults.Err()
	}
	validate.OneOf(&faults, "include", &include, "text")
	o.withText = true

	// The text names the person in every line, and JSON Resume has no place for it.
	const code = "contradiction"
	if o.anonymous {
		faults.Add("include", code, "include=text returns the whole text; don't combine it with anonymize=true.")
	}
	if o.jsonResume {
		faults.Add("include", code, "JSON Resume has no field for the text; don't combine include with format=json_resume.")
	}

	return o, faults.Err()
}
