package dashboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/server/dashboard"
)

func TestExport(t *testing.T) {
	w := newWorld(t)
	w.key(w.owner, "Website")
	type export struct {
		User    struct{ Email string }
		Account struct{ Name string }
		Users   []struct{ Email string }
		Keys    []struct{ Name string }
	}

	download := func(b *browser, path string) (got export) {
		t.Helper()
		a := b.post(path).expect(t, http.StatusOK)
		if disposition := a.header.Get("Content-Disposition"); !strings.HasPrefix(disposition, "attachment;") {
			t.Errorf("Content-Disposition %q, want an attachment", disposition)
		}

		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatalf("%v in\n%s", err, a.body)
		}
		return got
	}

	member := w.as(w.member)
	owner := w.as(w.owner)

	if got := download(member, "/dashboard/account/export"); got.User.Email != w.member.Email || got.Users != nil {
		t.Errorf("the member's export is %+v", got)
	}
	got := download(owner, "/dashboard/account/export-account")
	if got.Account.Name != "Kiln & Glaze" || len(got.Users) != 2 || len(got.Keys) != 1 {
		t.Errorf("the account's export is %+v", got)
	}

	member.get("/dashboard/account").expect(t, http.StatusOK, "Export your data", "Leave account")
	if page := member.get("/dashboard/account").text(); strings.Contains(page, "Delete account") {
		t.Errorf("a member can delete the account:\n%s", page)
	}
	owner.get("/dashboard/activity").expect(t, http.StatusOK, "Account exported", "User exported")
}

// failingExports fails in the middle of an export.
type failingExports struct{ begun string }

func (f failingExports) ExportAccount(_ context.Context, _ audit.By, _ string, w io.Writer) error {
	_, err := io.WriteString(w, f.begun)
	return errors.Join(err, errors.New("the disk is on fire"))
}

func (f failingExports) ExportUser(context.Context, audit.By, string, io.Writer) error {
	return errors.New("the disk is on fire")
}

// A browser must not take half an export for all of it.
func TestExport_Failure(t *testing.T) {
	w := newWorld(t, func(c *dashboard.Config, _ *account.Config) { c.Exports = failingExports{"{"} })
	b := w.as(w.owner)
	b.post("/dashboard/account/export").expect(t, http.StatusInternalServerError, "Something went wrong")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/dashboard/account/export-account", nil)
	w.must(err)
	response, err := b.client.Do(r)
	if err == nil {
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err == nil {
		t.Error("the export looks complete")
	}
	if !strings.Contains(w.log.String(), "on fire") {
		t.Errorf("the log is %s", w.log)
	}
}

// waitingExports blocks every export until it may go on.
type waitingExports struct{ begun, finish chan struct{} }

func (e waitingExports) ExportAccount(_ context.Context, _ audit.By, _ string, w io.Writer) error {
	e.begun <- struct{}{}
	<-e.finish
	_, err := io.WriteString(w, "{}")
	return err
}

func (e waitingExports) ExportUser(_ context.Context, _ audit.By, _ string, w io.Writer) error {
	_, err := io.WriteString(w, "{}")
	return err
}

func TestExport_OneAtATime(t *testing.T) {
	e := waitingExports{make(chan struct{}), make(chan struct{})}
	w := newWorld(t, func(c *dashboard.Config, _ *account.Config) { c.Exports = e })
	b := w.as(w.owner)
	other := w.as(w.owner)
	first := make(chan int)
	go func() { first <- b.post("/dashboard/account/export-account").status }()
	<-e.begun
	other.post("/dashboard/account/export").expect(t, http.StatusUnprocessableEntity, "An export is running already")
	w.as(w.member).post("/dashboard/account/export").expect(t, http.StatusOK)
	close(e.finish)
	if status := <-first; status != http.StatusOK {
		t.Errorf("status %d of the first export", status)
	}
	other.post("/dashboard/account/export").expect(t, http.StatusOK)
}

func TestLeaveAccount(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	b.post("/dashboard/account/leave", "leave_proof", "wrong").
		expect(t, http.StatusUnprocessableEntity, "Your current password is wrong.")
	a := b.post("/dashboard/account/leave", "leave_proof", password).expect(t, http.StatusSeeOther)
	b.get(a.location).expect(t, http.StatusOK, "You left the account.", "Sign in")
	b.get("/dashboard").expect(t, http.StatusSeeOther)
	owner := w.as(w.owner)
	if page := owner.get("/dashboard/members").text(); strings.Contains(page, w.member.Email) {
		t.Errorf("the former member is listed:\n%s", page)
	}
	w.key(w.owner, "Website")
	owner.post("/dashboard/account/leave", "leave_proof", password).
		expect(t, http.StatusUnprocessableEntity, "The account has usable keys and no other owner.")
}

func TestDeleteAccount(t *testing.T) {
	w := newWorld(t)
	w.key(w.owner, "Website")
	b := w.as(w.owner)
	member := w.as(w.member)
	member.post("/dashboard/account/delete", "name", "Kiln & Glaze", "delete_proof", password).
		expect(t, http.StatusForbidden)
	b.post("/dashboard/account/delete", "name", "kiln", "delete_proof", password).
		expect(t, http.StatusUnprocessableEntity, "Enter the name of the account: Kiln & Glaze")
	b.post("/dashboard/account/delete", "name", "Kiln & Glaze", "delete_proof", "wrong").
		expect(t, http.StatusUnprocessableEntity, "Your current password is wrong.")
	admin := w.as(w.admin)
	admin.post("/dashboard/account/delete", "name", "Operations", "delete_proof", password).
		expect(t, http.StatusUnprocessableEntity, "The code is wrong")
	w.forgetCodes(w.admin)
	admin.post("/dashboard/account/delete", "name", "Operations", "delete_proof", w.code()).
		expect(t, http.StatusUnprocessableEntity, "The account has the only administrators")

	a := b.post("/dashboard/account/delete", "name", "Kiln & Glaze", "delete_proof", password).
		expect(t, http.StatusSeeOther)
	b.get(a.location).expect(t, http.StatusOK, "The account is deleted.")
	member.get("/dashboard").expect(t, http.StatusSeeOther)

	if keys, err := w.keys.ListOf(t.Context(), w.owner.Account); err != nil || len(keys) > 0 {
		t.Errorf("keys %v (%v)", keys, err)
	}
	admin.get("/dashboard/admin/audit").expect(t, http.StatusOK, "Account deleted")
}
