package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"os"
	"strings"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/loads"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/uploads"
)

// A Handler serves the pages of uploads.
type Handler struct {
	Uploads  Uploads
	Rollback Rollback
}

// A Rollback returns the live index and the one that a rollback makes live. Each is "" if there is no such index.
type Rollback func(ctx context.Context) (live, previous string, err error)

// Uploads stores, reads and publishes files; see uploads.Service. Administrators see the files of all accounts.
type Uploads interface {
	Create(ctx context.Context, n uploads.New, body io.Reader) (uploads.Upload, error)
	Get(account, id string) (uploads.Upload, error)
	Choose(account, id string, change func(*uploads.Options) error) (uploads.Upload, error)
	Publish(ctx context.Context, by audit.By, account, id string, allowShrink bool) (uploads.Upload, error)
	Rollback(ctx context.Context, by audit.By, account, id string) (uploads.Upload, error)
	Cancel(ctx context.Context, by audit.By, account, id string) error
}

const (
	dataPath    = page.Root + "/data"
	uploadsPath = dataPath + "/uploads"
	everyone    = "" // all accounts
	// maxForm is more than any file may have; the service has the limit of the operator.
	maxForm = 1 << 50
	// maxField is the size of a field of the form before the file, in bytes.
	maxField = 100
)

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	const admin = account.Administrator

	return []page.Route{
		page.Post("/data/uploads", admin, h.create).WithFile(maxForm).Paced(loads.Pace()),
		page.Get("/data/uploads/{upload}", admin, page.Showing(h.uploadPage)),
		page.Post("/data/uploads/{upload}/mapping", admin, h.changeMapping).Limit(page.MaxMatchForm),
		page.Post("/data/uploads/{upload}/publish", admin, h.publish).ConfirmedBy(admin),
		page.Post("/data/uploads/{upload}/rollback", admin, h.rollBack).ConfirmedBy(admin),
		page.Post("/data/uploads/{upload}/cancel", admin, h.cancel),
	}
}

// URL returns the path of an upload's page.
func URL(id string) string { return uploadsPath + "/" + url.PathEscape(id) }

// create stores the file of a form. The options come before it, so that a form that doesn't fit is rejected before the
// file arrives.
func (h *Handler) create(v *page.Visit) error {
	n := uploads.New{Account: v.Account.ID, By: v.By(), Options: uploads.Options{Mode: loading.Replace}}
	body, err := openForm(v, &n)
	if err != nil {
		return err
	}
	u, err := h.Uploads.Create(v.Context(), n, body)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return page.ErrSlowForm
	}
	if errors.Is(err, uploads.ErrTooLarge) {
		return &matching.Error{Code: receive.CodeBodyTooLarge, Message: "The file is larger than this server allows. " +
			"Split it, or load it with the indexer."}
	}
	if err != nil {
		return err
	}
	return v.Redirect(URL(u.ID))
}

// openForm reads a form up to the content of its file.
func openForm(v *page.Visit, n *uploads.New) (io.Reader, error) {
	form, err := v.Request.MultipartReader()
	if err != nil {
		return nil, page.ErrBadForm
	}

	values := url.Values{}
	for {
		part, err := form.NextRawPart()
		if err != nil {
			return nil, formError(err)
		}
		if part.FormName() == "file" {
			n.File = part.FileName()
			return &formFile{part, form}, readOptions(values, &n.Options)
		}

		text, err := io.ReadAll(io.LimitReader(part, maxField+1))
		isValid := err == nil && len(text) <= maxField && page.IsText(string(text)) && len(values) < maxField
		if !isValid {
			return nil, formError(err)
		}
		values.Set(part.FormName(), strings.TrimSpace(string(text)))
	}
}

func formError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return page.ErrSlowForm
	}
	return page.ErrBadForm
}

// A formFile is the file of a form, which must end after it: a form that was cut off would otherwise be a shorter file.
type formFile struct {
	*multipart.Part
	form *multipart.Reader
}

// Read reads the file.
func (f *formFile) Read(p []byte) (int, error) {
	n, err := f.Part.Read(p)
	if err == io.EOF { //nolint:errorlint // a wrapped EOF means that the last boundary is missing
		if _, next := f.form.NextRawPart(); next != io.EOF {
			return n, page.ErrBadForm
		}
	}
	return n, err
}

// readOptions sets the options in a form. The API has the same rules.
func readOptions(form url.Values, o *uploads.Options) error {
	text := func(name string) *string {
		if value := form.Get(name); value != "" {
			return &value
		}
		return nil
	}
	options := wire.LoadOptions{Mode: text("mode"), Currency: text("currency"), MaxFailures: text("max_failures")}
	sheet, encoding := form.Get("sheet"), form.Get("encoding")
	options.Sheet = &sheet
	options.Encoding = &encoding

	var faults validate.Faults
	allowKind, noHeader := form.Get("allow_kind") != "", form.Get("no_header") != ""
	options.AllowKind = &allowKind
	options.NoHeader = &noHeader
	skipped := 0
	if given := form.Get("skip_lines"); given != "" {
		skipped = int(validate.WholeNumber(&faults, "skip_lines", given, 0, 10_000))
	}
	options.SkipLines = &skipped
	options.Apply(o, &faults)

	return faults.Err()
}

// changeMapping has the file read again with what the form says about its columns.
func (h *Handler) changeMapping(v *page.Visit) error {
	u, err := h.find(v)
	if err != nil {
		return err
	}
	_, err = h.Uploads.Choose(everyone, u.ID, func(o *uploads.Options) error {
		if u.Preview != nil {
			o.Columns = chosen(v.Request.PostForm, u.Preview.Columns, o.Columns)
		}
		return readOptions(v.Request.PostForm, o)
	})
	return h.done(v, u.ID, "", err)
}

// chosen returns the choices after a form: the earlier ones of columns that stay as they are, and those that the form
// changes.
func chosen(form url.Values, columns []uploads.Column, earlier []uploads.Choice) []uploads.Choice {
	choices := []uploads.Choice{}
	for _, c := range columns {
		name := fmt.Sprintf("column-%d", c.Number)
		if form.Has(name) && form.Get(name) != c.Field {
			choices = append(choices, uploads.Choice{Column: c.Header, Number: c.Number, Field: form.Get(name)})
			continue
		}
		for _, choice := range earlier {
			if choice.Column == c.Header && (choice.Number == 0 || choice.Number == c.Number) {
				choices = append(choices, choice)
			}
		}
	}
	return choices
}

// publish has the content of the file made live.
func (h *Handler) publish(v *page.Visit) error {
	u, err := h.find(v)
	if err != nil {
		return err
	}
	_, err = h.Uploads.Publish(v.Context(), v.By(), everyone, u.ID, v.Value("allow_shrink") != "")
	return h.done(v, u.ID, "", err)
}

// rollBack makes the index live again that was live before.
func (h *Handler) rollBack(v *page.Visit) error {
	u, err := h.find(v)
	if err != nil {
		return err
	}
	_, err = h.Uploads.Rollback(v.Context(), v.By(), everyone, u.ID)
	return h.done(v, u.ID, "The data from before the load is live again.", err)
}

// cancel removes the file.
func (h *Handler) cancel(v *page.Visit) error {
	u, err := h.find(v)
	if err != nil {
		return err
	}
	if err := h.Uploads.Cancel(v.Context(), v.By(), everyone, u.ID); err != nil {
		return h.done(v, u.ID, "", err)
	}
	v.Notice(u.File + " was removed.")
	return v.Redirect(dataPath)
}

// done shows the upload again: after a success by a redirect, and otherwise with what is wrong.
func (h *Handler) done(v *page.Visit, id, notice string, err error) error {
	if err != nil {
		u, findErr := h.Uploads.Get(everyone, id)
		if findErr != nil {
			return findErr
		}
		p, pageErr := h.showing(v, u, v.Request.PostForm)
		if pageErr != nil {
			return errors.Join(err, pageErr)
		}
		return v.Reject(err, p)
	}
	if notice != "" {
		v.Notice(notice)
	}
	return v.Redirect(URL(id))
}

// find returns the upload of the path.
func (h *Handler) find(v *page.Visit) (uploads.Upload, error) {
	u, err := h.Uploads.Get(everyone, v.Request.PathValue("upload"))
	if matching.CodeOf(err) == uploads.CodeNotFound {
		return u, page.ErrNotFound
	}
	return u, err
}

func (h *Handler) uploadPage(v *page.Visit) (page.Page, error) {
	u, err := h.find(v)
	if err != nil {
		return page.Page{}, err
	}
	return h.showing(v, u, nil)
}

// showing returns the page of an upload with a form. It offers to roll back if that leads to the index from before.
func (h *Handler) showing(v *page.Visit, u uploads.Upload, form url.Values) (page.Page, error) {
	p, w := uploadPage(u, form)
	if u.State == uploads.Live {
		live, previous, err := h.Rollback(v.Context())
		if err != nil {
			return p, err
		}
		w.MayRollBack = u.Previous != "" && live == u.Index && previous == u.Previous
	}
	p.Data = w
	return p, nil
}
