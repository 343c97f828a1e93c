package dashboard

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"freelancer-matching/server/dashboard/reference"
	"freelancer-matching/server/openapi"
	"freelancer-matching/server/web"
)

// referenceSource returns a function that reads the specification when it is first called: that takes a tenth of a
// second, which most starts of the server don't need to spend.
func referenceSource() func() (*reference.Document, error) {
	return sync.OnceValues(func() (*reference.Document, error) { return reference.Parse(openapi.YAML()) })
}

// referenceView is the data of the list of operations.
type referenceView struct {
	*reference.Document
	Specification string // URL of the OpenAPI description
}

// operationView is the data of the page about one operation.
type operationView struct {
	*reference.Operation
	Groups   []reference.Group
	Try      string // path of the playground that sends such requests; "" for none
	Command  string // the first example as a curl command
	Previous *reference.Operation
	Next     *reference.Operation
}

// playgrounds returns the paths of the playgrounds, by the id of the operation that they try.
func playgrounds() map[string]string {
	return map[string]string{
		"match":       root + "/playground",
		"verifySkill": root + "/playground/skill",
		"parse":       root + "/playground/resume",
		"interview":   root + "/playground/interview",
	}
}

func (d *dashboard) showReference(v *visit) error {
	document, err := d.reference()
	if err != nil {
		return err
	}
	view := referenceView{document, web.Origin(d.PublicURL) + "/openapi.yaml"}
	return d.ok(v, page{Template: "reference", Title: "API reference", Section: "reference", Data: view})
}

func (d *dashboard) showOperation(v *visit) error {
	document, err := d.reference()
	if err != nil {
		return err
	}
	all := document.Operations()
	for i, o := range all {
		if o.ID != v.r.PathValue("operation") {
			continue
		}

		view := operationView{
			Operation: o, Groups: document.Groups, Try: playgrounds()[o.ID], Command: d.exampleCommand(o),
		}

		if i > 0 {
			view.Previous = all[i-1]
		}

		if i+1 < len(all) {
			view.Next = all[i+1]
		}
		return d.ok(v, page{Template: "operation", Title: o.Summary, Section: "reference", Data: view})
	}

	return errNotFound
}

// exampleCommand returns a curl command that calls an operation, with its first example as the body.
func (d *dashboard) exampleCommand(o *reference.Operation) string {
	command := []string{"curl -s"}
	if o.Method != "GET" && o.Method != "POST" {
		command[0] += " -X " + o.Method
	}
	command[0] += " '" + web.Origin(d.PublicURL) + o.Path + "'"
	if o.NeedsKey {
		command = append(command, `-H "X-API-Key: $MATCHING_API_KEY"`)
	}
	body := o.Request()
	switch {
	case body != "":
		command = append(command, "-H 'Content-Type: application/json'", "-d "+shellQuote(body))
	case len(o.Bodies) > 0 && strings.HasPrefix(o.Bodies[0].ContentType, "multipart/"):
		command = append(command, "-F file=@resume.pdf")
	case len(o.Bodies) > 0:
		command = append(command, "-H 'Content-Type: "+o.Bodies[0].ContentType+"'", "--data-binary @body")
	}
	return strings.Join(command, " \\\n  ")
}

// fieldRows is a table of fields, with a name for screen readers.
type fieldRows struct {
	Label  string
	Fields []reference.Field
}

func newFieldRows(label string, fields []reference.Field) fieldRows { return fieldRows{label, fields} }

// statusText returns the name of an HTTP status, such as "Not Found", or "" for one that has none.
func statusText(status string) string {
	code, err := strconv.Atoi(status)
	if err != nil {
		return ""
	}
	return http.StatusText(code)
}

// shellQuote quotes a text for a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
