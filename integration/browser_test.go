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

	"github.com/freelancer-matching/service/integration/programs"

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
	browserVariable   = "MATCHING_TEST_BROWSER" // path of Chromium; by default the one in PATH
	axeVariable       = "MATCHING_TEST_AXE"     // path of axe.min.js of axe-core
	artifactsVariable = "MATCHING_ARTIFACTS"    // directory for screenshots; by default artifacts in the repository
	// outsider is a host name that resolves to this machine in the browser. Unlike 127.0.0.1 it isn't trustworthy over
	// plain http, so the browser sends no Sec-Fetch-Site, as on a local network.
	outsider = "match.test"
)

// screen is the size of a device.
type screen struct {
	name          string
	width, height int64
}

func screens() []screen { return []screen{{"desktop", 1280, 800}, {"phone", 360, 740}} }

// chromium is a running browser.
type chromium struct {
	ctx context.Context
	axe string // the script of axe-core; without it accessibility is not checked
}

// newChromium starts a browser that can connect only to this machine.
func newChromium(t *testing.T) *chromium {
	t.Helper()
	path := os.Getenv(browserVariable)
	if path == "" {
		var err error
		if path, err = exec.LookPath("chromium"); err != nil {
			skipOrFail(t, "%v: run `make services` to install one, or set %s", err, browserVariable)
		}
	}

	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.WSURLReadTimeout(programs.Patience),
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // the sandbox does not work for root
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("lang", "en"),
		chromedp.Flag("ignore-certificate-errors", true),
		// A page from this cache sends no events that a step back could wait for.
		chromedp.Flag("disable-features", "site-per-process,Translate,BlinkGenPropertyTrees,BackForwardCache"),
		chromedp.Flag("host-resolver-rules", "MAP "+outsider+" 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))

	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	quiet := func(string, ...any) {} // ignores events that are newer than the library
	ctx, end := chromedp.NewContext(allocator, chromedp.WithErrorf(quiet))
	t.Cleanup(end)

	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}

	c := &chromium{ctx: ctx}

	if file := os.Getenv(axeVariable); file == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set, but CI requires it", axeVariable)
		}
		t.Logf("%s is not set, so accessibility is not checked; run `make services` to fetch axe-core", axeVariable)
	} else {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c.axe = string(script)
	}

	return c
}

// tab is a browser tab with its own cookies.
type tab struct {
	ctx     context.Context
	browser *chromium
	screen  screen
	base    string // URL of the server

	mu     sync.Mutex
	faults []string // errors on the console, violations of the content policy, dialogs
}

// person opens a tab for a new user. Any fault in the tab until the end of the test fails the test.
func (c *chromium) person(t *testing.T, base string, s screen) *tab {
	t.Helper()
	browser := cdp.WithExecutor(c.ctx, chromedp.FromContext(c.ctx).Browser)
	cookies, err := target.CreateBrowserContext().Do(browser)
	if err != nil {
		t.Fatal(err)
	}

	// chromedp's own option opens a tab, for which the browser has no window yet.
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
			t.Errorf("fault in the browser: %s", fault)
		}
	})

	chromedp.ListenTarget(ctx, b.record)
	b.run(t, "open a tab", emulation.SetDeviceMetricsOverride(s.width, s.height, 1, s.width < 600), log.Enable())
	return b
}

// record records faults of the page.
func (b *tab) record(event any) {
	var fault string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			fault = fmt.Sprintf("console: %s", e.Args[0].Value)
		}

	case *log.EventEntryAdded:
		// The browser logs pages with status 4xx, which tests expect.
		status := e.Entry.Source == log.SourceNetwork && !strings.Contains(e.Entry.URL, "/static/") &&
			strings.Contains(e.Entry.Text, "status of 4")
		// Over plain http, it logs that it ignores this header.
		plain := strings.HasPrefix(e.Entry.Text, "The Cross-Origin-Opener-Policy header has been ignored") &&
			strings.HasPrefix(b.base, "http://"+outsider)
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

// run performs actions in the tab.
func (b *tab) run(t *testing.T, what string, actions ...chromedp.Action) {
	t.Helper()
	if _, err := b.try(false, actions...); err != nil {
		b.fatal(t, what, err)
	}
}

// load performs actions that lead to another page, and returns its status.
func (b *tab) load(t *testing.T, what string, actions ...chromedp.Action) (status int64) {
	t.Helper()
	status, err := b.try(true, actions...)
	if err != nil {
		b.fatal(t, what, err)
	}
	return status
}

func (b *tab) try(loads bool, actions ...chromedp.Action) (status int64, err error) {
	// The first run creates the tab, which would close together with a context created here.
	if chromedp.FromContext(b.ctx).Target == nil {
		return 0, chromedp.Run(b.ctx, actions...)
	}
	ctx, cancel := context.WithTimeout(b.ctx, programs.Patience)
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

// fatal fails the test with the text on the screen.
func (b *tab) fatal(t *testing.T, what string, err error) {
	t.Helper()
	var address, text string
	ctx, cancel := context.WithTimeout(b.ctx, programs.Patience)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Location(&address), chromedp.Evaluate(`document.body.innerText`, &text))
	t.Fatalf("%s: %v, at %s:\n%s", what, err, address, text)
}

// open opens a path of the server.
func (b *tab) open(t *testing.T, path string) (status int64) {
	t.Helper()
	return b.load(t, "open "+path, chromedp.Navigate(b.base+path))
}

// wantPath fails the test unless the tab is at a path.
func (b *tab) wantPath(t *testing.T, path string) {
	t.Helper()
	var got string
	if b.run(t, "where", chromedp.Evaluate(`location.pathname`, &got)); got != path {
		b.fatal(t, "in the browser", fmt.Errorf("at %s, want %s", got, path))
	}
}

// field returns the XPath of the form field whose label starts with a text.
func field(label string) string {
	return fmt.Sprintf(`//*[@id=//label[starts-with(normalize-space(.),%q)]/@for]`, label)
}

// fill replaces the text of a field.
func (b *tab) fill(t *testing.T, label, text string) {
	t.Helper()
	path := field(label)
	// chromedp.Clear fails on an empty textarea.
	clearField := fmt.Sprintf(`document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).
		singleNodeValue.value = ""`, path)
	b.run(t, "fill in "+label,
		chromedp.WaitVisible(path), chromedp.Evaluate(clearField, nil), chromedp.SendKeys(path, text))
}

// choose selects an option of a select element.
func (b *tab) choose(t *testing.T, label, option string) {
	t.Helper()
	var value string
	b.run(t, "choose "+option, chromedp.WaitVisible(field(label)),
		chromedp.AttributeValue(
			fmt.Sprintf(`%s/option[normalize-space(.)=%q]`, field(label), option), "value", &value, nil),
		chromedp.ActionFunc(func(ctx context.Context) error { return chromedp.SetValue(field(label), value).Do(ctx) }))
}

// chooseFile selects a file in the file field.
func (b *tab) chooseFile(t *testing.T, path string) {
	t.Helper()
	path, err := filepath.Abs(path) // the browser has another working directory
	if err != nil {
		t.Fatal(err)
	}
	b.run(t, "choose "+path, chromedp.SetUploadFiles(`//input[@type="file"]`, []string{path}))
}

// drop drops a file on the heading of the page.
func (b *tab) drop(t *testing.T, path string) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ X, Y float64 }
	b.run(t, "find the heading", chromedp.Evaluate(`document.querySelector("h1").getBoundingClientRect().toJSON()`, &at))
	for _, step := range []input.DispatchDragEventType{input.DragEnter, input.DragOver, input.Drop} {
		data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1} // copy
		b.run(t, "drop "+path, input.DispatchDragEvent(step, at.X+1, at.Y+1, data))
	}
}

// press clicks a link or button that leads to another page, and returns its status.
func (b *tab) press(t *testing.T, text string) (status int64) {
	t.Helper()
	path := fmt.Sprintf(`//main//*[self::a or self::button][normalize-space(.)=%q]`, text)
	return b.load(t, "press "+text, chromedp.Click(path, chromedp.NodeVisible))
}

// tick ticks or unticks a checkbox.
func (b *tab) tick(t *testing.T, label string) {
	t.Helper()
	path := fmt.Sprintf(`//main//label[normalize-space(.)=%q]`, label)
	b.run(t, "tick "+label, chromedp.Click(path, chromedp.NodeVisible))
}

// phoneWidth is the largest width in pixels at which the navigation is behind a menu.
const phoneWidth = 640

// editBrief opens the brief of a page with matches, which is folded.
func (b *tab) editBrief(t *testing.T) {
	t.Helper()
	b.run(t, "open the brief", chromedp.Click(".fold:not([open]) > summary", chromedp.ByQuery))
}

// openView opens another view of the result that the tab shows: cards or code.
func (b *tab) openView(t *testing.T, view string) {
	t.Helper()
	var path string
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &path))
	b.open(t, path+"?view="+view)
}

// navigate follows a link of the navigation.
func (b *tab) navigate(t *testing.T, text string) {
	t.Helper()
	if b.screen.width <= phoneWidth {
		b.run(t, "open the menu", chromedp.Click(".menu:not([open]) summary", chromedp.ByQuery))
	}
	path := fmt.Sprintf(`//nav//a[normalize-space(.)=%q]`, text)
	if status := b.load(t, "go to "+text, chromedp.Click(path, chromedp.NodeVisible)); status != 200 {
		t.Errorf("the page %s has status %d", text, status)
	}
}

// text returns the visible text of an element.
func (b *tab) text(t *testing.T, selector string) (text string) {
	t.Helper()
	read := chromedp.Text(selector, &text, chromedp.ByQuery)
	b.run(t, "read "+selector, chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			err := read.Do(ctx)
			// The page may be replaced between the two steps of a look-up.
			if err == nil || !strings.Contains(err.Error(), "No node with given id") {
				return err
			}
		}
	}))
	return text
}

// wantText fails the test unless the page shows all the texts, in upper or lower case.
func (b *tab) wantText(t *testing.T, texts ...string) {
	t.Helper()
	visible := b.text(t, "body")
	for _, text := range texts {
		if !strings.Contains(strings.ToLower(visible), strings.ToLower(text)) {
			t.Errorf("the page does not show %q:\n%s", text, visible)
		}
	}
}

// inspect takes screenshots of the page in both color schemes. It fails the test if axe-core finds a violation of WCAG
// 2.1 AA, or if the page scrolls horizontally.
func (b *tab) inspect(t *testing.T, name string) {
	t.Helper()
	// In closed details elements, animations never finish.
	const animations = `Promise.all(document.getAnimations().filter(a => a.effect.target.checkVisibility()).
		map(a => a.finished)).then(() => true)`
	for _, scheme := range []string{"light", "dark"} {
		media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		var picture []byte
		var sideways bool
		b.run(t, "look at "+name,
			emulation.SetEmulatedMedia().WithFeatures(media),
			chromedp.Evaluate(animations, nil, awaited),
			chromedp.Evaluate(`document.scrollingElement.scrollWidth > document.documentElement.clientWidth`, &sideways),
			chromedp.FullScreenshot(&picture, 100))

		if sideways {
			t.Errorf("%s is wider than %d pixels", name, b.screen.width)
		}

		b.saveArtifact(t, fmt.Sprintf("%s-%s-%s.png", name, b.screen.name, scheme), picture)
		b.checkAccessibility(t, name+", "+scheme)
	}
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// saveArtifact stores a screenshot.
func (b *tab) saveArtifact(t *testing.T, name string, picture []byte) {
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

// checkAccessibility checks the accessibility of the page with axe-core.
func (b *tab) checkAccessibility(t *testing.T, name string) {
	t.Helper()
	if b.browser.axe == "" {
		return
	}

	// The showcase is decoration, and may have low contrast.
	const check = `axe.run({exclude: ".showcase"}, {
			runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], resultTypes: ["violations"],
		}).then(r => JSON.stringify({passes: r.passes.length, violations: r.violations.map(v => ({
			rule: v.id, help: v.help, nodes: v.nodes.map(n => n.target + ": " + n.failureSummary),
		}))}))`

	var answer string
	b.run(t, "judge "+name, chromedp.Evaluate(b.browser.axe, nil), chromedp.Evaluate(check, &answer, awaited))
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

// keys presses keys on the element with the focus.
func (b *tab) keys(t *testing.T, keys string) {
	t.Helper()
	b.run(t, "press keys", chromedp.KeyEvent(keys))
}

// tabTo presses Tab until the focus is on the element whose label or text starts with a name. The focus must be visible
// on every element on the way.
func (b *tab) tabTo(t *testing.T, name string) {
	t.Helper()
	const where = `(() => {
		const e = document.activeElement, s = getComputedStyle(e);
		const label = e.labels && e.labels.length ? e.labels[0].textContent : e.textContent;
		// Inside a date field, the browser marks the part that has the focus.
		const marked = e === document.body || e.type === "date" || s.boxShadow !== "none" ||
			s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0;
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
			t.Errorf("the focus is not visible on %s %q", focus.Tag, focus.Name)
		}

		if strings.HasPrefix(focus.Name, name) && focus.Tag != "BODY" {
			return
		}

		names = append(names, focus.Tag+" "+focus.Name)
	}

	b.fatal(t, "press Tab", fmt.Errorf("the focus never reached %q, only %.60q", name, names))
}

// enter presses Enter and waits for the next page.
func (b *tab) enter(t *testing.T) {
	t.Helper()
	b.load(t, "press Enter", chromedp.KeyEvent(kb.Enter))
}
