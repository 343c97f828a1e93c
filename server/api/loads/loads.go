// Package loads handles files that clients upload to be loaded.
package loads

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/uploads"
)

// Loads stores, reads and publishes files. An account sees its own only.
type Loads interface {
	Create(ctx context.Context, n uploads.New, body io.Reader) (uploads.Upload, error)
	Get(account, id string) (uploads.Upload, error)
	List(account, after string, limit int) (list []uploads.Upload, more bool)
	Choose(account, id string, change func(*uploads.Options) error) (uploads.Upload, error)
	Publish(ctx context.Context, by audit.By, account, id string, allowShrink bool) (uploads.Upload, error)
	Rollback(ctx context.Context, by audit.By, account, id string) (uploads.Upload, error)
	Cancel(ctx context.Context, by audit.By, account, id string) error
	// Limit returns the size of the largest file, in bytes.
	Limit() int64
}

// UploadTime limits how long a file may take to arrive, and to be stored.
const UploadTime = 30 * time.Minute

// Pace returns how fast a file must arrive. The slowest mobile networks reach it.
func Pace() receive.Pace {
	return receive.Pace{Grace: 15 * time.Second, Rate: 16 << 10, Total: UploadTime}
}

// Handlers handles the operations on loads.
type Handlers struct{ Loads Loads }

// Create handles POST /loads. It stores the file of the request and has it read.
func (h *Handlers) Create(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	query := call.Query(&faults, "mode", "currency", "name")
	n := uploads.New{
		Account: call.Caller.Account, By: call.RequestedBy(), File: query["name"],
		Options: uploads.Options{Mode: loading.Replace},
	}
	options := wire.LoadOptions{Mode: given(query, "mode"), Currency: given(query, "currency")}
	options.Apply(&n.Options, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	if call.Request.ContentLength > h.Loads.Limit()+receive.MaxJSON {
		return receive.TooLarge(h.Loads.Limit())
	}

	paced := receive.NewPacedBody(call.Response, call.Request.Body, Pace())
	call.Request.Body = paced
	body, err := openBody(call.Request, &n)
	var u uploads.Upload
	if err == nil {
		u, err = h.Loads.Create(ctx, n, body)
	}

	// That the body arrived too slowly explains more than a file that ends early.
	if failure := paced.Failure(); err != nil && failure != nil {
		err = failure
	}
	if errors.Is(err, uploads.ErrTooLarge) {
		err = receive.TooLarge(h.Loads.Limit())
	}
	if err != nil {
		return err
	}

	return writeLoad(call, http.StatusAccepted, u)
}

// given returns a parameter, or nil if it is missing.
func given(query map[string]string, name string) *string {
	if value, ok := query[name]; ok {
		return &value
	}
	return nil
}

// openBody returns the file in a request: the body, or a part of a form. It takes the options before the file, and the
// name of the file, from the form.
func openBody(r *http.Request, n *uploads.New) (io.Reader, error) {
	if r.ContentLength == 0 {
		return nil, errNoFile()
	}
	if err := receive.CheckEncoding(r.Header); err != nil {
		return nil, err
	}
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return r.Body, nil //nolint:nilerr // the body is the file, of whatever type
	}

	form := multipart.NewReader(r.Body, parameters["boundary"])
	part, err := form.NextRawPart()
	if err == nil && part.FormName() == receive.RequestField {
		if err := readOptions(part, n); err != nil {
			return nil, err
		}
		part, err = form.NextRawPart()
	}
	if err != nil {
		return nil, errForm(err)
	}
	if part.FormName() != "file" {
		return nil, errNoFile()
	}

	if n.File == "" {
		n.File = part.FileName()
	}
	return &formFile{part, form}, nil
}

// readOptions reads the JSON before the file.
func readOptions(part io.Reader, n *uploads.New) error {
	text, err := io.ReadAll(io.LimitReader(part, receive.MaxJSON+1))
	switch {
	case err != nil:
		return errForm(err)
	case len(text) > receive.MaxJSON:
		return receive.TooLarge(receive.MaxJSON)
	}

	var faults validate.Faults
	var options wire.LoadOptions
	if err := strictjson.Decode(text, &options, &faults); err != nil {
		return err
	}
	options.Apply(&n.Options, &faults)
	return faults.Err()
}

// A formFile is the file of a form, which must end after it: a form that was cut off would otherwise be a shorter file.
type formFile struct {
	*multipart.Part
	form *multipart.Reader
}

// Read reads the file.
func (f *formFile) Read(p []byte) (int, error) {
	n, err := f.Part.Read(p)
	if err == nil {
		return n, nil
	}
	if err == io.EOF { //nolint:errorlint // a wrapped EOF means that the last boundary is missing
		if _, next := f.form.NextRawPart(); next == io.EOF {
			return n, io.EOF
		}
	}
	return n, errForm(err)
}

func errForm(err error) error {
	return &matching.Error{
		Code: receive.CodeMalformedMultipart, Cause: err,
		Message: "The form can't be read. Send request (JSON, optional) first, then file, and nothing after it.",
	}
}

func errNoFile() error {
	var faults validate.Faults
	faults.Add("file", "required", "file is missing; send the file as the body, or as the field file of a form.")
	return faults.Err()
}

// Get handles GET /loads/{id}.
func (h *Handlers) Get(_ context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	u, err := h.Loads.Get(call.Caller.Account, id)
	if err != nil {
		return err
	}
	return writeLoad(call, http.StatusOK, u)
}

// List handles GET /loads. It responds with a page of the account's loads.
func (h *Handlers) List(_ context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	query := call.Query(&faults, "limit", "cursor")
	limit := wire.PageSize(query, &faults)
	at := wire.PageStart(query, "", &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	list, more := h.Loads.List(call.Caller.Account, at.After, limit)
	answer := wire.LoadListAnswer{Status: "success", Data: make([]wire.Load, len(list)), RequestID: call.ID}
	for i, u := range list {
		u.Preview = nil
		answer.Data[i] = wire.NewLoad(u, false)
	}
	if more {
		next := wire.Cursor{After: list[len(list)-1].ID}.Encode()
		answer.NextCursor = wire.NullableString(next)
		call.LinkNext("cursor", next)
	}
	answer.TookMS = call.TookMS()

	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

// ChangeMapping handles PUT /loads/{id}/mapping. It has the file read again.
func (h *Handlers) ChangeMapping(_ context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	var faults validate.Faults
	var options wire.LoadOptions
	if err := call.Decode(&options, &faults); err != nil {
		return err
	}

	u, err := h.Loads.Choose(call.Caller.Account, id, func(o *uploads.Options) error {
		options.Apply(o, &faults)
		return faults.Err()
	})
	if err != nil {
		return err
	}
	return writeLoad(call, http.StatusAccepted, u)
}

// Publish handles POST /loads/{id}/publish. It has the content of the file made live.
func (h *Handlers) Publish(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	var faults validate.Faults
	query := call.Query(&faults, "allow_shrink")
	allowShrink := validate.Boolean(&faults, "allow_shrink", query)
	if err := faults.Err(); err != nil {
		return err
	}

	u, err := h.Loads.Publish(ctx, call.RequestedBy(), call.Caller.Account, id, allowShrink)
	if err != nil {
		return err
	}
	return writeLoad(call, http.StatusAccepted, u)
}

// Rollback handles POST /loads/{id}/rollback. It makes the index live again that was live before.
func (h *Handlers) Rollback(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	u, err := h.Loads.Rollback(ctx, call.RequestedBy(), call.Caller.Account, id)
	if err != nil {
		return err
	}
	return writeLoad(call, http.StatusOK, u)
}

// Cancel handles DELETE /loads/{id}. It removes the file.
func (h *Handlers) Cancel(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	if err := h.Loads.Cancel(ctx, call.RequestedBy(), call.Caller.Account, id); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.CanceledLoad{ID: id})
}

func writeLoad(call *endpoint.Call, status int, u uploads.Upload) error {
	mayRead := call.Caller.Key.Permits(apikey.ReadData) == nil
	return call.WriteJSON(status, endpoint.JSONType, endpoint.NewAnswer(call, wire.NewLoad(u, mayRead)))
}
