package api

import (
	"context"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/tracing"
	"freelancer-matching/resume"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Parser parses resumes. For a file that it cannot parse, it returns a matching.Error with a code of package resume.
type Parser interface {
	Parse(ctx context.Context, file []byte) (resume.Resume, error)
}

func (s *Server) parse(c *gin.Context) error {
	file := bodyOf(c)
	if file.err != nil {
		return file.err
	}
	options, err := readParseOptions(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}

	ctx, span := tracing.Start(c.Request.Context(), "parse resume", tracing.Int("bytes", len(file.data)))
	r, err := s.deps.Parser.Parse(ctx, file.data)
	span.End(err)

	if err != nil {
		return err
	}

	if options.anonymous {
		r = s.anonymizer.Resume(r)
	}

	if options.jsonResume {
		return writeAnswer(c, wire.NewJSONResume(&r))
	}

	return writeAnswer(c, wire.NewResume(&r))
}

// parseOptions are the parameters of POST /parse.
type parseOptions struct{ anonymous, jsonResume bool }

func readParseOptions(query string) (parseOptions, error) {
	var faults validate.Faults
	parameters := validate.Query(query, &faults, "anonymize", "format")
	o := parseOptions{anonymous: validate.Boolean(&faults, "anonymize", parameters)}
	if format, ok := parameters["format"]; ok {
		validate.OneOf(&faults, "format", &format, "fields", "json_resume")
		o.jsonResume = format == "json_resume"
	}
	return o, faults.Err()
}
