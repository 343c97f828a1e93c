//go:build integration

package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	browserVariable   = "MATCHING_TEST_BROWSER" // path of a Chromium; without it the one in PATH
	axeVariable       = "MATCHING_TEST_AXE"     // path of axe.min.js of axe-core
	artifactsVariable = "MATCHING_ARTIFACTS"    // folder of the pictures; without it artifacts in the repository
	// outsider is a name that the browser looks up as this machine, and that it does not trust as it does 127.0.0.1: over plain
	// http it tells no server what site a form comes from, as on a network at home.
	outsider = "match.test"
	// slow bounds a step in the browser: far above what one takes.
	slow = 30 * time.Second
)

// screen is what a person looks at pages on.
type screen struct {
	name          string
	width, height int64
}

func screens() []screen { return []screen{{"desktop", 1280, 800}, {"phone", 360, 740}} }

// chromium is a running browser.
type chromium struct {
	ctx context.Context
	axe string // the script; "": pages are not judged
}

// newChromium starts a browser that reaches nothing but this machine.
func newChromium(t *testing.T) *chromium {
	t.Helper()
	path := os.Getenv(browserVariable)
	if path == "" {
		var err error
		if path, err = exec.LookPath("chromium"); err != nil {
			lacking(t, "%v: `make services` installs one, or name one in %s", err, browserVariable)
		}
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // as root it has none
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("lang", "en"),
		chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("host-resolver-rules", "MAP "+outsider+" 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	quiet := func(string, ...any) {} // of what is newer in the browser than in the library
	ctx, end := chromedp.NewContext(allocator, chromedp.WithErrorf(quiet))
	t.Cleanup(end)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	c := &chromium{ctx: ctx}
	if file := os.Getenv(axeVariable); file == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set: CI judges the accessibility of pages", axeVariable)
		}
		t.Logf("%s is not set, so the accessibility of pages is not judged: `make services` fetches axe-core", axeVariable)
	} else {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c.axe = string(script)
	}
	return c
}

// tab is a page in front of one person, with cookies of its own.
type tab struct {
	ctx     context.Context
	browser *chromium
	screen  screen
	base    string // address of the server

	mu     sync.Mutex
	faults []string // what went wrong in the page: errors on the console, refused by the content policy, dialogs
}

// person opens a tab for somebody. Whatever goes wrong in it until the end of the test fails the test.
func (c *chromium) person(t *testing.T, base string, s screen) *tab {
	t.Helper()
	browser := cdp.WithExecutor(c.ctx, chromedp.FromContext(c.ctx).Browser)
	cookies, err := target.CreateBrowserContext().Do(browser)
	if err != nil {
		t.Fatal(err)
	}
	// chromedp's own option for this asks for a tab, for which the browser has no window yet.
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(cookies).WithNewWindow(true).Do(browser)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(c.ctx, chromedp.WithTargetID(id))
	b := &tab{ctx: ctx, browser: c, screen: s, base: base}
	t.Cleanup(func() {
		defer end()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, fault := range b.faults {
			t.Errorf("in the browser: %s", fault)
		}
	})
	chromedp.ListenTarget(ctx, b.notice)
	b.run(t, "open a tab", emulation.SetDeviceMetricsOverride(s.width, s.height, 1, s.width < 600), log.Enable())
	return b
}

// notice takes down what goes wrong in the page.
func (b *tab) notice(event any) {
	var fault string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			fault = fmt.Sprintf("console: %s", e.Args[0].Value)
		}
	case *log.EventEntryAdded:
		// The browser logs pages with an error status too: that is their status, and not a fault of the page.
		status := e.Entry.Source == log.SourceNetwork && !strings.Contains(e.Entry.URL, "/static/") && strings.Contains(e.Entry.Text, "status of 4")
		// It also says of this header that it is for https, to whoever has the service on plain http.
		plain := strings.HasPrefix(e.Entry.Text, "The Cross-Origin-Opener-Policy header has been ignored") && strings.HasPrefix(b.base, "http://"+outsider)
		if e.Entry.Level == log.LevelError && !status && !plain {
			fault = fmt.Sprintf("%s %s", e.Entry.Text, e.Entry.URL)
		}
	case *cdppage.EventJavascriptDialogOpening:
		fault = "dialog: " + e.Message
		go func() { _ = chromedp.Run(b.ctx, cdppage.HandleJavaScriptDialog(false)) }()
	}
	if fault != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.faults = append(b.faults, fault)
	}
}

// run does something in the tab.
func (b *tab) run(t *testing.T, what string, actions ...chromedp.Action) {
	t.Helper()
	if _, err := b.try(false, actions...); err != nil {
		b.dead(t, what, err)
	}
}

// load does something that leads to another page, and is its status.
func (b *tab) load(t *testing.T, what string, actions ...chromedp.Action) (status int64) {
	t.Helper()
	status, err := b.try(true, actions...)
	if err != nil {
		b.dead(t, what, err)
	}
	return status
}

func (b *tab) try(loads bool, actions ...chromedp.Action) (status int64, err error) {
	// The first run makes the tab, which would end with a context of its own.
	if chromedp.FromContext(b.ctx).Target == nil {
		return 0, chromedp.Run(b.ctx, actions...)
	}
	ctx, cancel := context.WithTimeout(b.ctx, slow)
	defer cancel()
	if !loads {
		return 0, chromedp.Run(ctx, actions...)
	}
	response, err := chromedp.RunResponse(ctx, actions...)
	if err != nil {
		return 0, err
	}
	return response.Status, nil
}

// dead ends the test with what is on the screen.
func (b *tab) dead(t *testing.T, what string, err error) {
	t.Helper()
	var address, text string
	ctx, cancel := context.WithTimeout(b.ctx, slow)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Location(&address), chromedp.Evaluate(`document.body.innerText`, &text))
	t.Fatalf("%s: %v, at %s:\n%s", what, err, address, text)
}

// open goes to a page of the dashboard.
func (b *tab) open(t *testing.T, path string) (status int64) {
	t.Helper()
	return b.load(t, "open "+path, chromedp.Navigate(b.base+path))
}

// at fails the test unless the tab is at a path.
func (b *tab) at(t *testing.T, path string) {
	t.Helper()
	var got string
	if b.run(t, "where", chromedp.Evaluate(`location.pathname`, &got)); got != path {
		b.dead(t, "in the browser", fmt.Errorf("at %s, want %s", got, path))
	}
}

// field is the way to the field with a label.
func field(label string) string {
	return fmt.Sprintf(`//*[@id=//label[starts-with(normalize-space(.),%q)]/@for]`, label)
}

// fill types into the field with a label, in place of what is there.
func (b *tab) fill(t *testing.T, label, text string) {
	t.Helper()
	way := field(label)
	// chromedp's own way to clear a field does not take an empty textarea.
	clearing := fmt.Sprintf(`document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue.value = ""`, way)
	b.run(t, "fill in "+label, chromedp.WaitVisible(way), chromedp.Evaluate(clearing, nil), chromedp.SendKeys(way, text))
}

// choose picks what a list with a label offers under a name.
func (b *tab) choose(t *testing.T, label, option string) {
	t.Helper()
	var value string
	b.run(t, "choose "+option, chromedp.WaitVisible(field(label)),
		chromedp.AttributeValue(fmt.Sprintf(`%s/option[normalize-space(.)=%q]`, field(label), option), "value", &value, nil),
		chromedp.ActionFunc(func(ctx context.Context) error { return chromedp.SetValue(field(label), value).Do(ctx) }))
}

// attach chooses a file in the field for one.
func (b *tab) attach(t *testing.T, path string) {
	t.Helper()
	path, err := filepath.Abs(path) // the browser stands elsewhere
	if err != nil {
		t.Fatal(err)
	}
	b.run(t, "choose "+path, chromedp.SetUploadFiles(`//input[@type="file"]`, []string{path}))
}

// drop lets go of a file over the heading of the page.
func (b *tab) drop(t *testing.T, path string) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ X, Y float64 }
	b.run(t, "find the heading", chromedp.Evaluate(`document.querySelector("h1").getBoundingClientRect().toJSON()`, &at))
	for _, step := range []input.DispatchDragEventType{input.DragEnter, input.DragOver, input.Drop} {
		data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1} // to copy it
		b.run(t, "drop "+path, input.DispatchDragEvent(step, at.X+1, at.Y+1, data))
	}
}

// press clicks on the link or button with a text, which leads to another page.
func (b *tab) press(t *testing.T, text string) (status int64) {
	t.Helper()
	way := fmt.Sprintf(`//main//*[self::a or self::button][normalize-space(.)=%q]`, text)
	return b.load(t, "press "+text, chromedp.Click(way, chromedp.NodeVisible))
}

// visit follows a link of the navigation.
func (b *tab) visit(t *testing.T, text string) {
	t.Helper()
	way := fmt.Sprintf(`//nav//a[normalize-space(.)=%q]`, text)
	if status := b.load(t, "go to "+text, chromedp.Click(way, chromedp.NodeVisible)); status != 200 {
		t.Errorf("%s answered %d", text, status)
	}
}

// text is what can be read in an element.
func (b *tab) text(t *testing.T, selector string) (text string) {
	t.Helper()
	b.run(t, "read "+selector, chromedp.Text(selector, &text, chromedp.ByQuery))
	return text
}

// shows fails the test unless the page has texts to read.
func (b *tab) shows(t *testing.T, texts ...string) {
	t.Helper()
	read := b.text(t, "body")
	for _, text := range texts {
		if !strings.Contains(strings.ToLower(read), strings.ToLower(text)) {
			t.Errorf("the page does not show %q:\n%s", text, read)
		}
	}
}

// look takes pictures of the page in both schemes, and judges it: nothing that WCAG 2.1 AA forbids, as far as axe-core can
// see, and no need to scroll sideways.
func (b *tab) look(t *testing.T, name string) {
	t.Helper()
	for _, scheme := range []string{"light", "dark"} { // inside of what is folded up, animations wait
		var picture []byte
		var sideways bool
		b.run(t, "look at "+name,
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
			chromedp.Evaluate(`Promise.all(document.getAnimations().filter(a => a.effect.target.checkVisibility()).map(a => a.finished)).then(() => true)`, nil, awaited),
			chromedp.Evaluate(`document.scrollingElement.scrollWidth > document.documentElement.clientWidth`, &sideways),
			chromedp.FullScreenshot(&picture, 100))
		if sideways {
			t.Errorf("%s is wider than %d pixels", name, b.screen.width)
		}
		b.keep(t, fmt.Sprintf("%s-%s-%s.png", name, b.screen.name, scheme), picture)
		b.judge(t, name+", "+scheme)
	}
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// keep keeps a picture for people.
func (b *tab) keep(t *testing.T, name string, picture []byte) {
	t.Helper()
	dir := os.Getenv(artifactsVariable)
	if dir == "" {
		dir = filepath.Join("..", "artifacts")
	}
	dir = filepath.Join(dir, "dashboard")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// judge has axe-core look at the page.
func (b *tab) judge(t *testing.T, name string) {
	t.Helper()
	if b.browser.axe == "" {
		return
	}
	// What is decoration may be faint.
	const ask = `axe.run({exclude: ".showcase"}, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], resultTypes: ["violations"]}).then(r =>
		JSON.stringify({passes: r.passes.length, violations: r.violations.map(v => ({rule: v.id, help: v.help, nodes: v.nodes.map(n => n.target + ": " + n.failureSummary)}))}))`
	var answer string
	b.run(t, "judge "+name, chromedp.Evaluate(b.browser.axe, nil), chromedp.Evaluate(ask, &answer, awaited))
	var verdict struct {
		Passes     int
		Violations []struct {
			Rule, Help string
			Nodes      []string
		}
	}
	if err := json.Unmarshal([]byte(answer), &verdict); err != nil || verdict.Passes == 0 {
		t.Fatalf("axe-core on %s: %v, %s", name, err, answer)
	}
	for _, v := range verdict.Violations {
		t.Errorf("%s on a %s, %s (%s):\n%s", name, b.screen.name, v.Help, v.Rule, strings.Join(v.Nodes, "\n"))
	}
}

// keys presses keys, wherever the focus is.
func (b *tab) keys(t *testing.T, keys string) {
	t.Helper()
	b.run(t, "press keys", chromedp.KeyEvent(keys))
}

// tabTo presses Tab until the focus is at what has a name: its text, or its label. Every stop on the way must be seen.
func (b *tab) tabTo(t *testing.T, name string) {
	t.Helper()
	const where = `(() => {
		const e = document.activeElement, s = getComputedStyle(e);
		const label = e.labels && e.labels.length ? e.labels[0].textContent : e.textContent;
		// Inside a field for a date the browser marks the part that has the focus.
		const marked = e === document.body || e.type === "date" || s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none";
		const box = e.getBoundingClientRect();
		return {name: label.trim().replace(/\s+/g, " "), seen: marked && box.width > 1 && box.height > 1, tag: e.tagName};
	})()`
	var names []string
	for range 60 {
		var focus struct {
			Name, Tag string
			Seen      bool
		}
		b.run(t, "press Tab", chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(where, &focus))
		if !focus.Seen {
			t.Errorf("the focus is not to be seen at %s %q", focus.Tag, focus.Name)
		}
		if strings.HasPrefix(focus.Name, name) && focus.Tag != "BODY" {
			return
		}
		names = append(names, focus.Tag+" "+focus.Name)
	}
	b.dead(t, "by keyboard", fmt.Errorf("no way to %q, but to %.60q", name, names))
}

// enter presses Enter, which leads to another page.
func (b *tab) enter(t *testing.T) {
	t.Helper()
	b.load(t, "press Enter", chromedp.KeyEvent(kb.Enter))
}
