package pdf

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/resume"
)

// filesIn returns the PDF files below a folder, by name.
func filesIn(tb testing.TB, root string) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".pdf" {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// refusals returns the codes of files that cannot be read.
func refusals() []matching.Code {
	return []matching.Code{
		resume.CodeUnsupported, resume.CodeNoText, resume.CodeEncrypted, resume.CodeCorrupt, resume.CodeTooComplex,
	}
}

// Every malformed file is either read or rejected with a documented code.
func TestRead_MalformedFiles(t *testing.T) {
	root := realdata.Path(t, "malformed", "pdf")
	e := engineWith(t, Options{Timeout: 2 * time.Second})
	codes := map[matching.Code]int{}
	for name, data := range filesIn(t, root) {
		start := time.Now()
		d, err := e.Read(t.Context(), data)
		code := matching.CodeOf(err)
		codes[code]++

		if err == nil && (len(d.Lines) == 0 || d.Pages == 0) {
			t.Errorf("%s: neither lines nor an error", name)
		}

		if err != nil && !slices.Contains(refusals(), code) {
			t.Errorf("%s: %v", name, err)
		}

		if took := time.Since(start); took > time.Second {
			t.Logf("%s took %v: %v", name, took, err)
		}
	}

	t.Logf("files by code: %v", codes)
}

// Files whose owner forbids copying are read; those that need a password, and scans, are rejected.
func TestRead_DerivedResumes(t *testing.T) {
	root := realdata.Path(t, "resumes", "derived")
	e := engine(t)
	for name, want := range map[string]matching.Code{
		"encrypted_owner_only_noextract_rendercv_john_doe.pdf": "",
		"linearized_openresume.pdf":                            "",
		"encrypted_userpw_secret_openresume.pdf":               resume.CodeEncrypted,
		"scanned_openresume.pdf":                               resume.CodeNoText,
		"scanned_hrhelper.pdf":                                 resume.CodeNoText,
		"truncated_70pct_openresume.pdf":                       resume.CodeCorrupt, // its cross-reference table is missing
	} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Read(t.Context(), data)
		if code := matching.CodeOf(err); code != want {
			t.Errorf("%s: got code %q, want %q", name, code, want)
		}
	}
}

// In a two-column resume, the headings of the main column are adjacent, and so are the headings of the sidebar. Three
// files are missing, because parts of them are still read in the wrong order: latexcv's main~1, main~3 and main~7,
// whose columns are divided by drawings.
func TestRead_TwoColumnResumes(t *testing.T) {
	root := realdata.Path(t, "resumes", "templates")
	e := engine(t)
	tests := []struct {
		file string
		want []string // headings in reading order, in upper case
	}{
		{"deedy__Deedy-Resume__deedy_resume.pdf", []string{
			"EXPERIENCE", "RESEARCH", "AWARDS", "PUBLICATIONS", "EDUCATION", "LINKS", "COURSEWORK", "SKILLS",
		}},
		{"dyweb__Deedy-Resume-for-Chinese__deedy_resume.pdf", []string{
			"EXPERIENCE", "RESEARCH", "AWARDS", "PUBLICATIONS", "EDUCATION", "LINKS", "COURSEWORK", "SKILLS",
		}},
		{"dyweb__Deedy-Resume-for-Chinese__deedy_resume-openfont.pdf", []string{
			"EXPERIENCE", "RESEARCH", "AWARDS", "PUBLICATIONS", "EDUCATION", "LINKS", "COURSEWORK", "SKILLS",
		}},
		{"dyweb__Deedy-Resume-for-Chinese__resume.pdf", []string{"EXPERIENCE", "EDUCATION", "LINKS", "SKILLS"}},
		{"dyweb__Deedy-Resume-for-Chinese__resume-cn.pdf", []string{
			"实习经历", "项目与论文", "开源贡献", "所获奖项", "教育经历", "链接", "技能",
		}},
		{"liantze__AltaCV__mmayer.pdf", []string{
			"EXPERIENCE", "A DAY OF MY LIFE", "LIFE PHILOSOPHY", "MOST PROUD OF", "STRENGTHS", "LANGUAGES", "EDUCATION",
			"PUBLICATIONS",
		}},
		{"liantze__AltaCV__sample.pdf", []string{
			"EXPERIENCE", "PROJECTS", "A DAY OF MY LIFE", "MY LIFE PHILOSOPHY", "MOST PROUD OF", "STRENGTHS", "LANGUAGES",
			"EDUCATION",
		}},
		{"liantze__AltaCV__sample-old.pdf", []string{
			"EXPERIENCE", "PROJECTS", "A DAY OF MY LIFE", "MY LIFE PHILOSOPHY", "MOST PROUD OF", "STRENGTHS", "LANGUAGES",
			"EDUCATION",
		}},
		{"AmruthPillai__Reactive-Resume__chikorita.pdf", []string{
			"PROFILES", "SUMMARY", "EXPERIENCE", "EDUCATION", "PROJECTS", "SKILLS", "CERTIFICATIONS", "LANGUAGES", "REFERENCES",
		}},
		{"AmruthPillai__Reactive-Resume__ditto.pdf", []string{
			"SUMMARY", "EXPERIENCE", "EDUCATION", "PROJECTS", "PROFILES", "SKILLS", "CERTIFICATIONS",
		}},
		{"AmruthPillai__Reactive-Resume__pikachu.pdf", []string{
			"SUMMARY", "EXPERIENCE", "EDUCATION", "PROJECTS", "PROFILES", "SKILLS", "CERTIFICATIONS", "LANGUAGES", "REFERENCES",
		}},
		{"AmruthPillai__Reactive-Resume__glalie.pdf", []string{
			"SUMMARY", "EXPERIENCE", "EDUCATION", "PROFILES", "SKILLS", "CERTIFICATIONS",
		}},
		{"bjherger__ResumeParser__Brendan_Herger_Resume.pdf", []string{
			"SELECTED EXPERIENCE", "EDUCATION", "PERSONAL PROJECTS", "ONLINE",
		}},
		{"salomonelli__best-resume-ever__left-right.pdf", []string{"EXPERIENCE", "CONTACT", "EDUCATION", "SKILLS"}},
		{"salomonelli__best-resume-ever__left-right-rtl.pdf", []string{"EXPERIENCE", "CONTACT", "EDUCATION", "SKILLS"}},
		{"salomonelli__best-resume-ever__side-bar-rtl.pdf", []string{"EXPERIENCE", "EDUCATION", "SKILLS", "CONTACT"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(root, test.file))
			if err != nil {
				t.Fatal(err)
			}

			d, err := e.Read(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}

			var got []string
			for _, l := range d.Lines {
				if text := strings.ToUpper(l.Text); slices.Contains(test.want, text) && !slices.Contains(got, text) {
					got = append(got, text)
				}
			}

			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// BenchmarkRead_Resumes reads real resumes of two pages for one and several clients.
func BenchmarkRead_Resumes(b *testing.B) {
	root := realdata.Path(b, "resumes")
	e := engine(b)
	var files [][]byte
	for _, data := range filesIn(b, root) {
		if d, err := e.Read(b.Context(), data); err == nil && d.Pages == 2 {
			files = append(files, data)
		}
	}

	for _, clients := range []int{1, 4} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			var next atomic.Int64
			times := make([]time.Duration, b.N)
			var group sync.WaitGroup
			for range clients {
				group.Go(func() {
					for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
						start := time.Now()
						if _, err := e.Read(b.Context(), files[i%len(files)]); err != nil {
							b.Error(err)
						}
						times[i] = time.Since(start)
					}
				})
			}

			group.Wait()
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "files/s")
		})
	}
}
