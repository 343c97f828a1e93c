package candidate

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/web"
)

// root is the path of the pages, without the final slash.
const root = "/interview"

// Interviews conducts interviews. A refusal is an interview.RefusedError.
type Interviews interface {
	OpenInvitation(ctx context.Context, token string) (interview.Candidate, time.Time, error)
	Visit(ctx context.Context, c interview.Candidate) (interview.Visit, error)
	Start(ctx context.Context, c interview.Candidate) (interview.Visit, error)
	Save(
		ctx context.Context, c interview.Candidate, question, text string, facts interview.AnswerFacts,
	) (interview.Visit, error)
	Next(ctx context.Context, c interview.Candidate, question string) (interview.Visit, error)
	Submit(ctx context.Context, c interview.Candidate) (interview.Visit, error)
}

// An Owner is the account that invites a candidate.
type Owner struct {
	Name      string // "" if unknown
	Suspended bool   // its candidates can't continue
}

// Config holds what the pages depend on. All fields are required.
type Config struct {
	Interviews Interviews
	Owner      func(ctx context.Context, account string) (Owner, error)
	PublicURL  *url.URL // scheme and host that candidates see; https makes cookies secure
	Log        *slog.Logger
	Address    func(*http.Request) netip.Addr // of the client, as seen through trusted proxies
}

const (
	// wrongTokens is the number of wrong tokens that one address may send per minute: more than a person mistypes.
	wrongTokens = 10
	// formTime is how long a form may take to arrive.
	formTime = 15 * time.Second
	// maxForm is the maximum size of a form in bytes: three times that of the longest answer in UTF-8, because of its
	// encoding, and some more.
	maxForm = 3*4*interview.MaxAnswer + 4<<10
	// maxOpening is the same for the form with a token.
	maxOpening = 4 << 10
)

// pages handles all requests.
type pages struct {
	Config
	assets    *web.Assets
	texts     map[string]texts // by language
	templates map[string]*template.Template
	guard     *quota.Guard
}

// New returns the handler of all paths under /interview. It panics if the embedded files are invalid.
func New(c Config) http.Handler {
	p := &pages{
		Config: c, assets: web.LoadAssets(files, root), texts: loadTexts(), guard: quota.NewGuard(wrongTokens, time.Minute),
	}
	p.templates = loadTemplates(p.assets)

	mux := http.NewServeMux()
	handle := func(pattern string, h func(*visit) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, h) })
	}

	handle("GET "+root+"/{$}", p.showEntry)
	handle("POST "+root+"/{$}", p.open)
	handle("GET "+root+"/{session}/{$}", p.inside(p.showStep))
	handle("POST "+root+"/{session}/start", p.inside(p.start))
	handle("GET "+root+"/{session}/questions/{number}", p.inside(p.showQuestion))
	handle("POST "+root+"/{session}/questions/{number}", p.inside(p.answer))
	handle("GET "+root+"/{session}/review", p.inside(p.showReview))
	handle("POST "+root+"/{session}/submit", p.inside(p.submit))
	mux.HandleFunc("GET "+root, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, root+"/", http.StatusSeeOther)
	})
	handle("/", func(*visit) error { return errMissing })

	// Static files need neither an invitation nor a check of where the request comes from.
	top := http.NewServeMux()
	top.Handle("GET "+root+"/static/{hash}/{name}", p.assets)
	top.Handle("/", p.rejectCrossOrigin(mux))

	return p.secure(top)
}
