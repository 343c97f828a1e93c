package matching

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
)

// An Option changes one request. Each says for which requests it is.
type Option func(*request)

// IfMatch makes a change of a freelancer only if the record has a version, or any with "*". Otherwise the error is
// ErrConflict. It is for Put, Patch and Erase.
//
// A conditional change isn't repeated after a lost response, because the version would be a new one.
func IfMatch(version string) Option {
	if version != "*" {
		version = `"` + version + `"`
	}
	return func(r *request) {
		r.setHeader("If-Match", version)
		r.repeatable = false
	}
}

// IfNew makes a change only if the freelancer does not exist. Otherwise the error is ErrConflict. It is for Put.
func IfNew() Option {
	return func(r *request) {
		r.setHeader("If-None-Match", "*")
		r.repeatable = false
	}
}

// Lenient accepts values as files have them, such as "$25/hr". It is for Patch and Bulk.
func Lenient() Option { return parameter("lenient", "true") }

// Readmit also stores freelancers who were erased, because they agree to it. It is for Put and Bulk.
func Readmit() Option { return parameter("readmit", "true") }

// Currency names the currency of all amounts, such as EUR. It is for Put, Bulk and Loads.Create.
func Currency(code string) Option { return parameter("currency", code) }

// Patches makes each line change the fields that it has, and no others. It is for Bulk.
func Patches() Option { return parameter("patch", "true") }

// Mapping names a mapping file on the server, which says how to read lines in the shape of your own data. It is for
// Bulk.
func Mapping(name string) Option { return parameter("mapping", name) }

// IncludeText adds the lines from which the fields were read, with their places on the pages of a PDF file. It is for
// Resumes.Parse.
func IncludeText() Option { return parameter("include", "text") }

// Anonymize leaves out what tells who the person is. It is for Resumes.
func Anonymize() Option { return parameter("anonymize", "true") }

// FileName names the file, for display. It is for Loads.Create.
func FileName(name string) Option { return parameter("name", name) }

// Upsert adds the freelancers of a file, or replaces them by ID, and leaves all others. It is for Loads.Create.
func Upsert() Option { return parameter("mode", "upsert") }

// AllowShrink publishes a file without many of the present freelancers. It is for Loads.Publish.
func AllowShrink() Option { return parameter("allow_shrink", "true") }

// IdempotencyKey makes a request the same as an earlier one with this key. Without it, each call has a new key for its
// attempts. It is for Conduct and Stream.
func IdempotencyKey(key string) Option {
	return func(r *request) { r.setHeader("Idempotency-Key", key) }
}

// parameter returns an option that adds a parameter to the query.
func parameter(name, value string) Option {
	return func(r *request) {
		if r.query == nil {
			r.query = url.Values{}
		}
		r.query.Set(name, value)
	}
}

func (r *request) setHeader(name, value string) {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(name, value)
}

// filterQuery returns filters as parameters.
func filterQuery(f MatchFilters) url.Values {
	query := url.Values{}
	setBool := func(name string, value *bool) {
		if value != nil {
			query.Set(name, strconv.FormatBool(*value))
		}
	}
	setFloat := func(name string, value float64) {
		if value != 0 {
			query.Set(name, strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
	setList := func(name string, values []string) {
		if len(values) > 0 {
			query[name] = values
		}
	}

	setBool("available", f.Available)
	setBool("verified", f.Verified)
	setFloat("min_rating", f.MinRating)
	setFloat("min_experience", f.MinExperience)
	setFloat("max_hourly_rate", f.MaxHourlyRate)
	setFloat("max_cost", f.MaxCost) // the service rejects it: without a brief, there are no costs
	setList("countries", f.Countries)
	setList("must_have_skills", f.MustHaveSkills)
	setList("exclude_skills", f.ExcludeSkills)
	setList("ids", f.IDs)
	setList("exclude_ids", f.ExcludeIDs)

	for _, spoken := range f.Languages {
		value := spoken.Language
		if spoken.MinLevel != "" {
			value += ":" + spoken.MinLevel
		}
		query.Add("languages", value)
	}
	if f.TimeZone != nil {
		query.Set("time_zone", f.TimeZone.Zone)
		setFloat("within_hours", f.TimeZone.WithinHours)
	}
	if f.AvailableBy != "" {
		query.Set("available_by", f.AvailableBy)
	}
	return query
}

// upload returns a request with a form that has a file, and a request as JSON if that isn't nil. It reads the file into
// memory, so that the request can be repeated; the service accepts up to 10 MiB.
func upload(path string, file io.Reader, fields any) (request, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if fields != nil {
		encoded, err := json.Marshal(fields)
		if err != nil {
			return request{}, err
		}
		if err := form.WriteField("request", string(encoded)); err != nil {
			return request{}, err
		}
	}

	// The content of a file decides how it is read, and its name is ignored.
	part, err := form.CreateFormFile("file", "file")
	if err != nil {
		return request{}, err
	}
	if _, err := io.Copy(part, file); err != nil {
		return request{}, err
	}
	if err := form.Close(); err != nil {
		return request{}, err
	}

	header := http.Header{"Content-Type": {form.FormDataContentType()}}
	return request{method: http.MethodPost, path: path, header: header, body: body.Bytes(), repeatable: true}, nil
}
