package relevance

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/embedding"
	"freelancer-matching/internal/matching"
	"freelancer-matching/match/effort"
	"freelancer-matching/tools/relevance/eval"
)

const effortHelp = `
Compares the estimates of the size of the work with hours that were judged by reading. The judged set needs a file
effort.tsv: brief_id, price_kind (fixed, hourly, unknown), hours_low, hours_typical, hours_high, separated by tabs.

With -posts, it first fits the model to job posts: CSV files with the columns title, job_link, price, description and
job_tag. -hours names their judged hours (post, low, typical, high); a post is the first 12 digits of the SHA-256 of its
job_link. Cross-validation measures the model on posts that it has not seen; the judged set is never fitted.

Examples:
  relevance effort
  relevance effort -posts job-posts -hours match/effort/judged.tsv -o match/effort/model.json
`

// effortOptions holds the flags of effort.
type effortOptions struct {
	judged, posts, hours, output string
}

func effortCommand() *command {
	o := &effortOptions{}
	flags := commandline.NewFlags("effort")
	flags.StringVar(&o.judged, "judged", "", "`folder` of the judged set (default: the real one, if available)")
	flags.StringVar(&o.posts, "posts", "", "`folder` with job posts to fit the model to")
	flags.StringVar(&o.hours, "hours", filepath.Join("match", "effort", "judged.tsv"),
		"`file` with the hours of the posts")
	flags.StringVar(&o.output, "o", "", "`file` for the fitted model")
	return &command{
		name: "effort", summary: "compare estimates of the size of the work with judged hours, or fit them",
		details: effortHelp, flags: flags, run: o.run,
	}
}

func (o *effortOptions) run(_ context.Context, stdout io.Writer) error {
	model, err := effort.Load()
	if err != nil {
		return err
	}

	if o.posts != "" {
		if model, err = o.fit(stdout); err != nil {
			return err
		}
		if o.output != "" {
			encoded, err := json.Marshal(model)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { _, err := fmt.Fprintf(w, "%s\n", encoded); return err }
			if err := writeFile(o.output, write); err != nil {
				return err
			}
		}
	}

	return o.compare(model, stdout)
}

// hoursJudged are the hours that a reader expects of some work.
type hoursJudged struct {
	kind               string
	low, typical, high float64
}

// compare prints how far the estimates for the briefs of a judged set are from their judged hours.
func (o *effortOptions) compare(model *effort.Model, stdout io.Writer) error {
	set, err := readJudgedSet(o.judged)
	if err != nil {
		return err
	}
	judged, err := readFile(filepath.Join(set.folder, "effort.tsv"), readHours)
	if err != nil {
		return err
	}

	byKind := map[string][]float64{}
	for _, b := range set.briefs {
		hours, known := judged[b.ID]
		if !known {
			continue
		}
		work, err := workOf(b, hours.kind == "fixed")
		if err != nil {
			return err
		}
		ratio := math.Abs(math.Log(model.Estimate(&work).Typical / hours.typical))
		for _, kind := range []string{"all", hours.kind} {
			byKind[kind] = append(byKind[kind], ratio)
		}
	}

	fmt.Fprintln(stdout, "\nhow far the estimate is from the judged hours of briefs that were not fitted, as a factor")
	for _, kind := range []string{"all", "fixed", "hourly", "unknown"} {
		if ratios := byKind[kind]; len(ratios) > 0 {
			fmt.Fprintf(stdout, "%-8s %3d briefs: median %.2f, mean %.2f\n", kind, len(ratios), typicalFactor(ratios),
				meanFactor(ratios))
		}
	}
	return nil
}

// workOf returns the work of a brief. Its budget counts if it is for the whole project.
func workOf(b eval.Brief, fixed bool) (effort.Work, error) {
	var body struct {
		Description string    `json:"description"`
		Skills      []string  `json:"required_skills"`
		Budget      []float64 `json:"budget_range"`
	}
	if err := json.Unmarshal(b.Body, &body); err != nil {
		return effort.Work{}, fmt.Errorf("brief %s: %w", b.ID, err)
	}

	w := effort.Work{Skills: body.Skills}
	w.Title, w.Description, _ = strings.Cut(body.Description, "\n")
	if fixed && len(body.Budget) == 2 {
		w.Buys = matching.Some(body.Budget[1] / usualRate)
	}
	return w, nil
}

// usualRate is the median hourly rate of the marketplace whose posts and freelancers were judged, in US dollars.
const usualRate = 20

// A post is a job post with its judged hours.
type post struct {
	work  effort.Work
	hours hoursJudged
}

const (
	// shrinkage is the penalty of the squared weights. Between 1 and 10, it hardly changes the errors on unseen posts.
	shrinkage = 6
	folds     = 10
)

// fit returns a model fitted to the posts, and prints its errors on posts that it has not seen.
func (o *effortOptions) fit(stdout io.Writer) (*effort.Model, error) {
	vectors, err := embedding.Load()
	if err != nil {
		return nil, err
	}
	posts, err := o.readPosts()
	if err != nil {
		return nil, err
	}

	// A post with a price counts twice, with and without it, so that one model serves briefs of both kinds.
	var rows []row
	for i, p := range posts {
		rows = append(rows, newRow(vectors, &p, i))
		if p.work.Buys.Known {
			p.work.Buys = matching.Optional[float64]{}
			rows = append(rows, newRow(vectors, &p, i))
		}
	}

	var errors []float64 // with sign
	for fold := range folds {
		held := func(r row) bool { return r.post%folds == fold }
		m, err := solve(slices.DeleteFunc(slices.Clone(rows), held))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if held(r) {
				errors = append(errors, r.y-m.predict(r.x))
			}
		}
	}

	m, err := solve(rows)
	if err != nil {
		return nil, err
	}

	factors := make([]float64, len(errors))
	for i, e := range errors {
		factors[i] = math.Abs(e)
	}
	slices.Sort(errors)
	fitted := &effort.Model{
		Constant: m.constant, Weights: m.weights,
		Low:  math.Exp(errors[len(errors)/10]),
		High: math.Exp(errors[len(errors)-1-len(errors)/10]),
	}
	fmt.Fprintf(stdout,
		"%d posts with hours; on unseen posts: median factor %.2f, mean %.2f, four in five from %.2f to %.2f\n",
		len(posts), typicalFactor(factors), meanFactor(factors), fitted.Low, fitted.High)

	fitted.Bind(vectors)
	return fitted, nil
}

// typicalFactor returns the median of absolute logarithms of ratios, as a ratio.
func typicalFactor(logs []float64) float64 {
	sorted := slices.Sorted(slices.Values(logs))
	return math.Exp(sorted[len(sorted)/2])
}

// meanFactor returns their mean, as a ratio.
func meanFactor(logs []float64) float64 {
	sum := 0.
	for _, x := range logs {
		sum += x
	}
	return math.Exp(sum / float64(len(logs)))
}

// readPosts returns the posts whose hours were judged, in the order of their ids, which is random.
func (o *effortOptions) readPosts() ([]post, error) {
	judged, err := readFile(o.hours, readHours)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(o.posts, "*.csv"))
	if err != nil {
		return nil, err
	}

	found := map[string]post{}
	for _, file := range files {
		works, err := readFile(file, readWorks)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for id, work := range works {
			if hours, known := judged[id]; known {
				found[id] = post{work, hours}
			}
		}
	}

	if len(found) < folds {
		return nil, fmt.Errorf("%d of the posts in %s have hours in %s", len(found), o.posts, o.hours)
	}

	posts := make([]post, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		posts = append(posts, found[id])
	}
	return posts, nil
}

// readHours reads judged hours by id: the first column, and the columns named low, typical and high, or hours_low and
// so on. It leaves out lines without hours.
func readHours(r io.Reader) (map[string]hoursJudged, error) {
	table := csv.NewReader(r)
	table.Comma = '\t'
	table.LazyQuotes = true
	lines, err := table.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("no header")
	}

	column := func(name string) int {
		return slices.IndexFunc(lines[0], func(c string) bool { return strings.TrimPrefix(c, "hours_") == name })
	}
	low, typical, high, kind := column("low"), column("typical"), column("high"), column("price_kind")
	if min(low, typical, high) < 0 {
		return nil, fmt.Errorf("the header needs low, typical and high, but is %q", lines[0])
	}

	judged := map[string]hoursJudged{}
	for _, line := range lines[1:] {
		if line[typical] == "" {
			continue
		}
		var h hoursJudged
		for _, cell := range []struct {
			text string
			to   *float64
		}{{line[low], &h.low}, {line[typical], &h.typical}, {line[high], &h.high}} {
			if *cell.to, err = strconv.ParseFloat(cell.text, 64); err != nil || !(*cell.to > 0) {
				return nil, fmt.Errorf("%s: %q is no number of hours", line[0], cell.text)
			}
		}
		if kind >= 0 {
			h.kind = line[kind]
		}
		judged[line[0]] = h
	}
	return judged, nil
}

var (
	amountPattern = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
	tagPattern    = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
)

// readWorks reads a CSV file of job posts by id.
func readWorks(r io.Reader) (map[string]effort.Work, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("no header")
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	for _, name := range []string{"title", "job_link", "price", "description", "job_tag"} {
		if _, found := column[name]; !found {
			return nil, fmt.Errorf("no column %s", name)
		}
	}

	works := map[string]effort.Work{}
	for _, line := range lines[1:] {
		sum := sha256.Sum256([]byte(line[column["job_link"]]))
		w := effort.Work{Title: line[column["title"]], Description: line[column["description"]]}
		for _, tag := range tagPattern.FindAllStringSubmatch(line[column["job_tag"]], -1) {
			w.Skills = append(w.Skills, tag[1]+tag[2])
		}

		highest := 0.
		price := line[column["price"]]
		for _, amount := range amountPattern.FindAllString(price, -1) {
			x, err := strconv.ParseFloat(strings.ReplaceAll(amount, ",", ""), 64)
			if err != nil {
				return nil, err
			}
			highest = max(highest, x)
		}
		if highest > 0 && !strings.Contains(price, "hr") {
			w.Buys = matching.Some(highest / usualRate)
		}

		works[hex.EncodeToString(sum[:6])] = w
	}
	return works, nil
}

// A row is one observation of a linear regression.
type row struct {
	x    []float64
	y    float64 // logarithm of the typical hours
	post int
}

func newRow(vectors *embedding.Model, p *post, number int) row {
	return row{x: effort.Features(vectors, &p.work), y: math.Log(p.hours.typical), post: number}
}

// line is a linear function.
type line struct {
	constant float64
	weights  []float64
}

func (l *line) predict(x []float64) float64 {
	y := l.constant
	for i, w := range l.weights {
		y += w * x[i]
	}
	return y
}

// solve returns the ridge regression of the rows (Hoerl and Kennard, 1970). The constant is not penalized.
func solve(rows []row) (*line, error) {
	if len(rows) == 0 {
		return nil, errors.New("no posts to fit")
	}
	n := len(rows[0].x)
	mean := make([]float64, n)
	meanY := 0.
	for _, r := range rows {
		for i, x := range r.x {
			mean[i] += x / float64(len(rows))
		}
		meanY += r.y / float64(len(rows))
	}

	// The normal equations of centered features.
	a := make([][]float64, n)
	b := make([]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		a[i][i] = shrinkage
	}
	for _, r := range rows {
		for i := range n {
			for j := range i + 1 {
				a[i][j] += (r.x[i] - mean[i]) * (r.x[j] - mean[j])
			}
			b[i] += (r.x[i] - mean[i]) * (r.y - meanY)
		}
	}

	weights, err := cholesky(a, b)
	if err != nil {
		return nil, err
	}
	l := &line{constant: meanY, weights: weights}
	for i, w := range weights {
		l.constant -= w * mean[i]
	}
	return l, nil
}

// cholesky solves a·x = b for a symmetric positive definite matrix, of which it reads and overwrites the lower half.
func cholesky(a [][]float64, b []float64) ([]float64, error) {
	for i := range a {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i != j {
				a[i][j] = sum / a[j][j]
				continue
			}
			if sum <= 0 {
				return nil, errors.New("the features depend on each other")
			}
			a[i][i] = math.Sqrt(sum)
		}
	}

	x := slices.Clone(b)
	for i := range x {
		for k := range i {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x, nil
}
