package playground

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
)

// A resumeHandler serves the playground for resumes.
type resumeHandler struct{ *client }

const (
	parsePath   = "/api/v1/parse"
	maxFileName = 120 // characters of a file name that are shown
	maxKeyField = 100 // bytes of the form field that names the key
)

// resumeView is the playground for resumes.
type resumeView struct {
	playgroundView
	MaxBytes int    // size limit of a file
	FileName string // "" if the file has no name that can be shown

	Anonymous bool   // the answer leaves out who it is
	Add       string // address of the form that adds the person; "" for users who may not
	Answer    wire.ParseAnswer
}

// Headline returns what is wrong with the file, or "" if the failure has nothing to do with the file.
func (v resumeView) Headline() string {
	return map[matching.Code]string{
		resume.CodeNoText:        "The file contains no text",
		resume.CodeEncrypted:     "The file is password-protected",
		resume.CodeUnsupported:   "This kind of file is not supported",
		resume.CodeCorrupt:       "The file is damaged",
		resume.CodeTooComplex:    "The file is too complex",
		receive.CodeBodyTooLarge: "The file is too large",
	}[matching.Code(v.Failure.Code)]
}

func (h *resumeHandler) resumePage(v *page.Visit, form url.Values) (page.Page, resumeView, error) {
	shared, err := h.playgroundView(v, results.Resume)
	view := resumeView{playgroundView: shared, MaxBytes: resume.MaxFile}
	p := page.Page{Template: "resume", Title: "Playground: resumes", Section: "playground", Form: form, Data: view}
	return p, view, err
}

func (h *resumeHandler) showResumeForm(v *page.Visit) error {
	p, _, err := h.resumePage(v, nil)
	if err != nil {
		return err
	}
	return v.OK(p)
}

// playResume streams the uploaded file to the API. The result has the file's name, but not the file.
func (h *resumeHandler) playResume(v *page.Visit) error {
	upload, err := openUpload(v.Request)
	if err != nil {
		return err
	}
	key, err := h.Keys.Get(v.Context(), v.Account.ID, upload.key)
	if err != nil {
		return err
	}

	// The form was not parsed, because its file is streamed. The page needs the fields before the file.
	v.Request.PostForm = url.Values{"key": {upload.key}}
	if upload.anonymize {
		v.Request.PostForm.Set("anonymize", "yes")
	}

	if upload.name != "" {
		return h.parseUpload(v, key, upload)
	}

	p, view, err := h.resumePage(v, v.Request.PostForm)
	if err != nil {
		return err
	}

	view.reject("", []matching.FieldError{{Field: "file", Code: "required", Message: "choose a file"}})
	p.Data = view
	p.Faults = view.faults

	return v.Show(http.StatusUnprocessableEntity, p)
}

func (h *resumeHandler) parseUpload(v *page.Visit, key apikey.Key, u *upload) error {
	r, err := u.request(v.Context())
	if err != nil {
		return err
	}
	// The forwarded form is slightly smaller than the one received. The API uses the length only to reserve room and to
	// reject files that are too large before reading them.
	r.ContentLength = v.Request.ContentLength
	name := ""

	// The name of a file usually is the name of a person.
	if !u.anonymize {
		name = displayName(u.name)
	}
	result := newResult(v, results.Resume, cmp.Or(name, "Resume"), key.ID, u.path())
	result.File = name
	if err := h.send(v, key, r, &result); err != nil {
		return err
	}

	// Browsers show a response only after they have sent the whole form, so read what a rejected file left unread.
	_, _ = io.Copy(io.Discard, v.Request.Body)
	return h.finish(v, &result)
}

// resumeResult returns the page of a parsed resume.
func (h *resumeHandler) resumeResult(v *page.Visit, r *results.Result) (page.Page, error) {
	p, view, err := h.resumePage(v, r.Form)
	if err != nil {
		return p, err
	}
	view.Anonymous = r.Form.Get("anonymize") != ""
	view.FileName = r.File
	if r.ID != "" && page.May(v.User.Role, account.Administrator) {
		view.Add = page.NewFreelancerURL(r.ID)
	}
	err = view.load(h.client, r, &view.Answer)
	request := h.requestTo(r.Path, nil)
	request.File = "resume.pdf"
	view.Snippets = snippet.All(request)
	p.Data = view
	p.Faults = view.faults
	return p, err
}

// upload is the form of the page while it arrives: first the key and the options, then the file. Nothing of the file is
// stored.
type upload struct {
	key       string
	anonymize bool
	name      string // file name sent by the browser; "" if no file was chosen
	file      io.Reader
	parts     *multipart.Reader
}

// path returns the path of the API request with its parameters.
func (u *upload) path() string {
	if u.anonymize {
		return parsePath + "?anonymize=true"
	}
	return parsePath
}

// openUpload reads the form up to the file's content.
func openUpload(r *http.Request) (*upload, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, page.ErrBadForm
	}
	field, err := parts.NextRawPart()
	if err != nil || field.FormName() != "key" {
		return nil, uploadError(err)
	}

	// The key comes before the file, so that a request without a valid one is rejected before the file arrives.
	key, err := io.ReadAll(io.LimitReader(field, maxKeyField+1))
	valid := len(key) <= maxKeyField && page.IsText(string(key))
	if err != nil || !valid {
		return nil, uploadError(err)
	}
	u := &upload{key: strings.TrimSpace(string(key)), parts: parts}

	file, err := parts.NextRawPart()
	if err == nil && file.FormName() == "anonymize" {
		u.anonymize = true
		file, err = parts.NextRawPart()
	}

	if err != nil || file.FormName() != "file" {
		return nil, uploadError(err)
	}
	u.name = file.FileName()
	u.file = file

	return u, nil
}

// uploadError returns the error of a form that could not be read, because of err or because of its content.
func uploadError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return page.ErrSlowForm
	}
	return page.ErrBadForm
}

// Read reads the file. The form must end after the file.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.file.Read(p)
	if err == io.EOF {
		if _, next := u.parts.NextRawPart(); next != io.EOF {
			return n, page.ErrBadForm
		}
	}
	return n, err
}

// request returns an API request with the file. The original file name is not sent.
func (u *upload) request(ctx context.Context) (*http.Request, error) {
	var head strings.Builder
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("file", "resume"); err != nil {
		return nil, err
	}
	end := strings.NewReader("\r\n--" + form.Boundary() + "--\r\n")
	body := io.MultiReader(strings.NewReader(head.String()), u, end)
	return newAPIRequest(ctx, u.path(), form.FormDataContentType(), body)
}

// displayName returns a file name shortened for display, or "" if it is not valid text.
func displayName(name string) string {
	if !page.IsText(name) {
		return ""
	}
	if letters := []rune(name); len(letters) > maxFileName {
		return string(letters[:maxFileName]) + "…"
	}
	return name
}
