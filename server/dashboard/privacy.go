package dashboard

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// Exports writes personal data as JSON.
type Exports interface {
	// ExportAccount writes everything that belongs to an account, and records it in the audit log.
	ExportAccount(ctx context.Context, by audit.By, id string, w io.Writer) error
	// ExportUser writes everything about a user, and records it in the audit log.
	ExportUser(ctx context.Context, by audit.By, id string, w io.Writer) error
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

func (d *dashboard) exportUser(v *visit) error {
	return d.download(v, "my-data.json", func(w io.Writer) error {
		return d.Exports.ExportUser(v.r.Context(), v.by(), v.user.ID, w)
	})
}

func (d *dashboard) exportAccount(v *visit) error {
	return d.download(v, "account-data.json", func(w io.Writer) error {
		return d.Exports.ExportAccount(v.r.Context(), v.by(), v.account.ID, w)
	})
}

// download sends a JSON or CSV file that write produces. If write fails after the beginning of the file was sent,
// download cuts the connection, so that the browser does not take the file for complete.
func (d *dashboard) download(v *visit, name string, write func(io.Writer) error) error {
	if !d.downloads.begin(v.user.ID) {
		return d.rejectForm(v, &matching.Error{
			Code: matching.CodeOverloaded, Message: "An export is running already. Wait until it has finished.",
		}, accountPage())
	}
	defer d.downloads.end(v.user.ID)
	file := &download{w: v.w, name: name}
	err := write(file)
	if err == nil || !file.begun {
		return err
	}
	d.Log.ErrorContext(v.r.Context(), "export failed", "request_id", v.w.Header().Get("X-Request-Id"), "error", err)
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

// leaveAccount removes the user from the account.
func (d *dashboard) leaveAccount(v *visit) error {
	err := d.Accounts.Leave(v.r.Context(), v.by(), v.user.ID, v.r.PostForm.Get("leave_proof"))
	return d.depart(v, err, "left")
}

// deleteAccount deletes the account with everything in it.
func (d *dashboard) deleteAccount(v *visit) error {
	err := d.Accounts.CloseAccount(v.r.Context(), v.by(), v.user.ID, v.value("name"),
		v.r.PostForm.Get("delete_proof"))
	return d.depart(v, err, "deleted")
}

// depart ends the session of a user who no longer exists. If the refusal is not nil, the user still does.
func (d *dashboard) depart(v *visit, refusal error, note string) error {
	if refusal != nil {
		p := accountPage()
		p.Form = map[string][]string{"name": {v.value("name")}}
		return d.rejectForm(v, refusal, p)
	}
	if err := d.endSession(v); err != nil {
		return err
	}
	v.user = account.User{}
	v.account = account.Account{}
	return v.redirect(root + "/sign-in?note=" + note)
}
