package dashboard

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

const (
	parsePath   = "/api/v1/parse"
	maxFileName = 120 // characters of a file's name that are shown
	maxKeyField = 100 // bytes of the field that names the key
)

// resumeView is the playground for resumes with the answer to what was sent last.
type resumeView struct {
	sentView
	MaxBytes int    // of a file
	FileName string // "": the file has none that can be shown
	Answer   resumeAnswer
}

// Headline is what went wrong with a file, in the words of a reader; "" for what has nothing to do with the file.
func (v resumeView) Headline() string {
	return map[matching.Code]string{
		resume.CodeNoText:      "There is no text in it",
		resume.CodeEncrypted:   "It is locked with a password",
		resume.CodeUnsupported: "It is neither PDF nor Word",
		resume.CodeCorrupt:     "The file is damaged",
		resume.CodeTooComplex:  "It is too much to read",
		"body_too_large":       "The file is too large",
	}[matching.Code(v.Failure.Code)]
}

// resumeForm is the playground for resumes with a form.
func (d *dashboard) resumeForm(v *visit, form url.Values) (page, error) {
	keys, err := d.playKeys(v)
	return page{
		Template: "resume", Title: "Playground: resumes", Section: "playground", Form: form,
		Data: resumeView{sentView: sentView{Keys: keys}, MaxBytes: resume.MaxFile},
	}, err
}

func (d *dashboard) resumePage(v *visit) error {
	p, err := d.resumeForm(v, nil)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// playResume hands the file of the form on to the API, as it arrives, and shows the answer.
func (d *dashboard) playResume(v *visit) error {
	sent, err := openUpload(v.r)
	if err != nil {
		return err
	}
	key, err := d.Keys.Get(v.r.Context(), v.account.ID, sent.key)
	if err != nil {
		return err
	}
	p, err := d.resumeForm(v, url.Values{"key": {sent.key}})
	if err != nil {
		return err
	}
	if sent.name == "" {
		p.Faults = &faults{Fields: []matching.FieldError{{Field: "file", Code: "required", Message: "choose the file of a resume"}}}
		return d.show(v, http.StatusUnprocessableEntity, p)
	}
	r, err := sent.request(v.r.Context())
	if err != nil {
		return err
	}
	// A little more than the form that is sent on has, which is as good for all that it is asked for: room, and refusing at once.
	r.ContentLength = v.r.ContentLength
	view, _ := p.Data.(resumeView)
	view.Curl = d.command(parsePath, "YOUR_KEY", "-F file=@resume.pdf")
	view.FileName = shownName(sent.name)
	status, wrong, err := d.send(v, key, r, &view.sentView, &view.Answer)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, v.r.Body) // of a file that was refused: browsers show an answer when all of the form is sent
	p.Data, p.Faults = view, wrong
	return d.show(v, status, p)
}

// upload is the form of the page while it arrives: its key, and then a file. Nothing of the file is kept.
type upload struct {
	key   string
	name  string // of the file, as the browser says; "": none was chosen
	file  io.Reader
	parts *multipart.Reader
}

// openUpload reads the form up to the content of the file.
func openUpload(r *http.Request) (*upload, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, errBadForm
	}
	field, err := parts.NextRawPart()
	if err != nil || field.FormName() != "key" {
		return nil, errBadForm
	}
	key, err := io.ReadAll(io.LimitReader(field, maxKeyField+1))
	if err != nil || len(key) > maxKeyField || !isText(string(key)) {
		return nil, errBadForm
	}
	file, err := parts.NextRawPart()
	if err != nil || file.FormName() != "file" {
		return nil, errBadForm
	}
	return &upload{key: strings.TrimSpace(string(key)), name: file.FileName(), file: file, parts: parts}, nil
}

// Read reads the file, behind which the form must end.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.file.Read(p)
	if err == io.EOF {
		if _, after := u.parts.NextRawPart(); after != io.EOF {
			return n, errBadForm
		}
	}
	return n, err
}

// request is a request to the API with the file, under no name.
func (u *upload) request(ctx context.Context) (*http.Request, error) {
	var head strings.Builder
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("file", "resume"); err != nil {
		return nil, err
	}
	end := strings.NewReader("\r\n--" + form.Boundary() + "--\r\n")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, parsePath, io.MultiReader(strings.NewReader(head.String()), u, end))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return r, nil
}

// shownName is the name of a file, not too long; "" for one that is no text.
func shownName(name string) string {
	if !isText(name) {
		return ""
	}
	if letters := []rune(name); len(letters) > maxFileName {
		return string(letters[:maxFileName]) + "…"
	}
	return name
}
