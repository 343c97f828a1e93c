package page

import (
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/internal/matching"
)

// AccountPage returns the page with the user's own settings, from which exports start.
func AccountPage() Page {
	return Page{Template: "account", Title: "Account", Section: "account"}
}

// downloads are the exports that are running. Each user can have one at a time, so that nobody occupies the database
// with them.
type downloads struct {
	mu      sync.Mutex
	running map[string]bool // by user ID
}

// begin reports whether a user may begin an export. The caller must call end if it returns true.
func (d *downloads) begin(user string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[user] {
		return false
	}
	if d.running == nil {
		d.running = map[string]bool{}
	}
	d.running[user] = true
	return true
}

func (d *downloads) end(user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running, user)
}

// Download sends a JSON or CSV file that write produces. If write fails after the beginning of the file was sent,
// download cuts the connection, so that the browser does not take the file for complete.
func (v *Visit) Download(name string, write func(io.Writer) error) error {
	if !v.site.downloads.begin(v.User.ID) {
		return v.Reject(&matching.Error{
			Code: matching.CodeOverloaded, Message: "An export is running already. Wait until it has finished.",
		}, AccountPage())
	}
	defer v.site.downloads.end(v.User.ID)
	file := &download{w: v.Writer, name: name}
	err := write(file)
	if err == nil || !file.begun {
		return err
	}
	v.site.Log.ErrorContext(v.Context(), "export failed",
		"request_id", v.Writer.Header().Get("X-Request-Id"), "error", err)
	panic(http.ErrAbortHandler)
}

// A download is a response that begins with the first write.
type download struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

// Write implements io.Writer.
func (f *download) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(f.name, ".csv") {
			f.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		}
		f.w.Header().Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
	}
	return f.w.Write(p)
}
