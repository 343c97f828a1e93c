package reference

import (
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
	"github.com/freelancer-matching/service/server/openapi"
	"github.com/freelancer-matching/service/server/web"
)

// A Handler serves the pages of the API reference.
type Handler struct {
	publicURL *url.URL // of the API
	document  func() (*Document, error)
}

// NewHandler returns the handler of the pages. It reads the specification when a page is first shown: that takes a
// tenth of a second, which most starts of the server don't need to spend.
func NewHandler(public *url.URL) *Handler {
	return &Handler{public, sync.OnceValues(func() (*Document, error) { return Parse(openapi.YAML()) })}
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/reference", account.Member, h.showReference),
		page.Get("/reference/{operation}", account.Member, h.showOperation),
	}
}

// referenceView is the data of the list of operations.
type referenceView struct {
	*Document
	searchResult
	Groups        []Group // of the search, or all
	Searched      bool
	Specification string // URL of the OpenAPI description
}

// maxQuery is the length of a search in bytes.
const maxQuery = 200

// operationView is the data of the page about one operation.
type operationView struct {
	*Operation
	Groups   []Group
	Try      string // path of the playground that sends such requests; "" for none
	Command  string // the first example as a curl command
	Previous *Operation
	Next     *Operation
}

// playgrounds returns the paths of the playgrounds, by the id of the operation that they try.
func playgrounds() map[string]string {
	return map[string]string{
		"matchFreelancers": page.Root + "/playground",
		"verifySkill":      page.Root + "/playground/skill",
		"parseResume":      page.Root + "/playground/resume",
		"conductInterview": page.Root + "/playground/interview",
	}
}

func (h *Handler) showReference(v *page.Visit) error {
	document, err := h.document()
	if err != nil {
		return err
	}
	view := referenceView{
		Document: document, Groups: document.Groups, Specification: web.Origin(h.publicURL) + "/openapi.yaml",
	}
	query := strings.TrimSpace(v.Request.FormValue("q"))
	if query != "" {
		view.searchResult = document.search(query[:min(len(query), maxQuery)])
		view.Groups = view.searchResult.Groups
		view.Searched = true
	}
	return v.OK(page.Page{
		Template: "reference", Title: "API reference", Section: "reference", Form: url.Values{"q": {query}}, Data: view,
	})
}

func (h *Handler) showOperation(v *page.Visit) error {
	document, err := h.document()
	if err != nil {
		return err
	}

	all := document.Operations()
	for i, o := range all {
		if o.ID != v.Request.PathValue("operation") {
			continue
		}

		view := operationView{
			Operation: o, Groups: document.Groups, Try: playgrounds()[o.ID], Command: h.exampleCommand(o),
		}

		// Each page links to its neighbors, so the reference can be read from beginning to end.

		if i > 0 {
			view.Previous = all[i-1]
		}

		if i+1 < len(all) {
			view.Next = all[i+1]
		}
		return v.OK(page.Page{Template: "operation", Title: o.Summary, Section: "reference", Data: view})
	}

	return page.ErrNotFound
}

// exampleCommand returns a curl command that calls an operation, with its first example as the body. It returns ""
// for a webhook message, which the service sends.
func (h *Handler) exampleCommand(o *Operation) string {
	if o.IsMessage {
		return ""
	}
	command := []string{"curl -s"}
	if o.Method != "GET" && o.Method != "POST" {
		command[0] += " -X " + o.Method
	}
	command[0] += " " + snippet.ShellWord(web.Origin(h.publicURL)+o.Path)
	if o.NeedsKey {
		command = append(command, `-H "X-API-Key: $MATCHING_API_KEY"`)
	}
	body := o.Request()
	switch {
	case body != "":
		command = append(command, "-H 'Content-Type: application/json'", "-d "+snippet.ShellWord(body))
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
	Fields []Field
}

func newFieldRows(label string, fields []Field) fieldRows { return fieldRows{label, fields} }

// statusText returns the name of an HTTP status, such as "Not Found", or "" for one that has none.
func statusText(status string) string {
	code, err := strconv.Atoi(status)
	if err != nil {
		return ""
	}
	return http.StatusText(code)
}

// Functions returns the functions that the templates of the reference call.
func Functions() template.FuncMap {
	return template.FuncMap{"rows": newFieldRows, "status": statusText}
}
