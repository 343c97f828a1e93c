package fields

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

func newDates() *dates { return &dates{words: newDictionary(), lastYear: 2034} }

func TestDates_Find(t *testing.T) {
	d := newDates()
	for text, want := range map[string]string{
		"Jan 2019 – Present":                "2019-01 now",
		"January 15, 2019 to March 3, 2020": "2019-01 2020-03",
		"03/2018":                           "2018-03",
		"15.03.2018 bis heute":              "2018-03 now",
		"2016—18":                           "2016 2018",
		"2010–12":                           "2010 2012",
		"2010-12":                           "2010-12",
		"1999-2003":                         "1999 2003",
		"seit 2020":                         "2020 now",
		"Depuis mars 2019":                  "2019-03 now",
		"2021年3月":                           "2021-03",
		"2021年3月至今":                         "2021-03 now",
		"2019年4月 〜 現在":                      "2019-04 now",
		"2017 年 6 月 ~ 2017 年 9 月":           "2017-06 2017-09",
		"2019.09 - 2022.01":                 "2019-09 2022-01",
		"Q3 2019":                           "2019-07",
		"Summer 2015":                       "2015",
		"06/15 - Now":                       "2015-06 now",
		"May – Aug 2020":                    "2020-05 2020-08",
		"Nov – Feb 2021":                    "2020-11 2021-02",
		"Jan '19 – Feb '20":                 "2019-01 2020-02",
		"Sep. 2023 - Mar. 2024":             "2023-09 2024-03",
		"du 01/2019 au 12/2020":             "2019-01 2020-12",
		"janvier 2018 à aujourd'hui":        "2018-01 now",
		"de marzo de 2018 a la actualidad":  "2018-03 now",
		"März 2019 bis Dezember 2021":       "2019-03 2021-12",
		"maggio 2015 – giugno 2016":         "2015-05 2016-06",
		"2020 - 2018":                       "2018 2020",
		"03/04/2018":                        "2018", // either may be the month
		"25/12/2018":                        "2018-12",
		"$2,019 and 2019% and 12019":        "",
		"call 2019-555-0142 x":              "2019",
		"v2019 and e2020":                   "",
		"no year":                           "",
		"May be in 3 places":                "",
	} {
		var got []string
		for _, s := range d.find(text) {
			got = append(got, s.from.String())
			if s.current {
				got = append(got, "now")
			} else if !s.single() {
				got = append(got, s.to.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("find(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestTimeline_CountsMonthsInclusiveAndOverlapsOnce(t *testing.T) {
	today := date{2026, 6}
	at := func(from, to date) span { return span{from: from, to: to} }
	for _, c := range []struct {
		span span
		want matching.Optional[int]
	}{
		{at(date{2019, 1}, date{2019, 3}), matching.Some(3)},
		{at(date{2019, 1}, date{2019, 1}), matching.Some(1)},
		{at(date{2016, 0}, date{2018, 0}), matching.Some(24)},
		{at(date{2018, 0}, date{2018, 0}), matching.Optional[int]{}}, // a year does not say how long
		{at(date{2018, 5}, date{}), matching.Optional[int]{}},
		{span{from: date{2026, 1}, current: true}, matching.Some(6)},
		{span{from: date{2030, 1}, current: true}, matching.Optional[int]{}},
	} {
		if diff := cmp.Diff(c.want, c.span.months(today)); diff != "" {
			t.Errorf("months of %v: %s", c.span, diff)
		}
	}
	months := func(first, last int) period { return period{12*2020 + first, 12*2020 + last} }
	got := years([]period{months(12, 23), months(0, 11), months(6, 17), months(100, 200)}, date{2022, 6})
	if want := matching.Some(2.0); got != want {
		t.Errorf("years = %v, want %v", got, want)
	}
}

func TestYears_NeverExceedTheTimeBetweenTheEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	today := date{2026, 6}
	for range 500 {
		var periods []period
		first, last, sum := 1<<30, 0, 0
		for range 1 + random.IntN(6) {
			p := period{first: 12*2000 + random.IntN(300)}
			p.last = p.first + random.IntN(40)
			periods = append(periods, p)
			first, last, sum = min(first, p.first), max(last, p.last), sum+p.last-p.first+1
		}
		got := years(periods, today).Value
		if limit := float64(min(last-first+1, sum))/12 + .051; got > limit || got < 0 {
			t.Fatalf("%v cover %v years, more than %v", periods, got, limit)
		}
	}
}

func TestFindEmail(t *testing.T) {
	for text, want := range map[string]string{
		"E-mail: ada@example.org, phone":      "ada@example.org",
		"mailto:ada.b+c@mail.example.org.":    "ada.b+c@mail.example.org",
		"邮箱：li.ming@example.cn。":              "li.ming@example.cn",
		"ada [at] example [dot] org":          "ada@example.org",
		"ada (at) example.org":                "ada@example.org",
		"ada at example dot org":              "ada@example.org",
		"ada @ example.org":                   "ada@example.org",
		"@ada and ada@localhost":              "",
		"Engineer @ Example.org is no e-mail": "",
		"Ünal@bücher.example":                 "Ünal@bücher.example",
	} {
		text := deobfuscate(text)
		from, to := findEmail(text)
		if got := text[from:to]; got != want && want != "" || want == "" && strings.HasPrefix(got, "@") {
			t.Errorf("findEmail(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPhone(t *testing.T) {
	for _, c := range []struct{ text, country, want string }{
		{"Phone (415) 555-0142", "US", "+1 415-555-0142"},
		{"Phone (415) 555-0142", "", "(415) 555-0142"},
		{"CA 94588 (555) 123-4567", "US", "+1 555-123-4567"},
		{"+49 30 1234567 | x", "", "+49 30 1234567"},
		{"0049 30 1234567", "", "+49 30 1234567"},
		{"(+86) 133-3333-3333", "", "+86 133 3333 3333"},
		{"030/1234567", "DE", "+49 30 1234567"},
		{"+44 (0)20 7946 0991", "", "+44 20 7946 0991"},
		{"555 · 356 · 7936", "", "555 · 356 · 7936"},
		{"Fullerton 12, 2nd floor", "US", ""},
		{"+49 176 313 XXX XX", "", ""},
		{"id=123456789 and /12345678", "US", ""},
	} {
		from, to := findPhone(c.text)
		got := ""
		if to > 0 {
			got = phone(c.text[from:to], c.country)
		}
		if got != c.want {
			t.Errorf("the phone in %q (%s) is %q, want %q", c.text, c.country, got, c.want)
		}
	}
}

func TestPlace(t *testing.T) {
	d := newDictionary()
	for text, want := range map[string]string{
		"San Francisco, CA": "US", "Columbus, Ohio 44444": "US", "10115 Berlin": "DE", "Lyon, France": "FR", "München": "DE",
		"Zaragoza, España": "ES", "Seoul, S.Korea": "KR", "Tallinn, Estland": "EE", "上海": "CN", "Toronto, ON": "CA", "Wien, Österreich": "AT",
		"القاهرة، مصر": "EG",
	} {
		if got := d.country(text); got != want || d.place(text) != 2 {
			t.Errorf("%q: country %q, place %d, want %q, 2", text, got, d.place(text), want)
		}
	}
	for _, text := range []string{"Software Engineer", "Tidewheel GmbH, Berlin", "Go, Python, SQL", "ada@example.org", "University of Eastmere, London"} {
		if d.place(text) == 2 {
			t.Errorf("%q is taken for a place", text)
		}
	}
}

func TestLatest(t *testing.T) {
	at := func(title, start, end string, current bool) resume.Position {
		return resume.Position{Title: title, Start: start, End: end, Current: current}
	}
	for _, c := range []struct {
		want      string
		positions []resume.Position
	}{
		{"", nil},
		{"now", []resume.Position{at("past", "2010", "2019", false), at("now", "2015", "", true), at("also now", "2020", "", true)}},
		{"last", []resume.Position{at("first", "2010-01", "2012-05", false), at("last", "2012-06", "2019", false), at("before", "2012", "2018-12", false)}},
		{"the year's end", []resume.Position{at("spring", "2018-01", "2019-03", false), at("the year's end", "2018", "2019", false)}},
		{"named", []resume.Position{at("", "2020", "", true), at("named", "", "", false)}},
	} {
		if got := latest(c.positions).Title; got != c.want {
			t.Errorf("the latest is %q, want %q", got, c.want)
		}
	}
}

func TestDividesAddress(t *testing.T) {
	for _, c := range []struct {
		text, next string
		want       bool
	}{
		{"ada@mail.exampl", "e.org", true},
		{"E-mail: ada@example.or", "g", true},
		{"ada@example.org", "berlin", false},
		{"ada@example.org", "g", false},
		{"ada@example.", "Berlin", false},
		{"linkedin.com/in/ada-", "lovelace", true},
		{"linkedin.com/in/ada-", "github.com", false},
		{"linkedin.com/in/ada", "lovelace", false},
		{"well-", "known", false},
	} {
		if got := dividesAddress(c.text, c.next); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.text, c.next, got, c.want)
		}
	}
}

func TestNameOf(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]string{
		"Marlow Quillfeather": "Marlow Quillfeather", "MARLOW VAN DER QUILL": "Marlow van der Quill", "Ada de la Cruz-O'Neil": "Ada de la Cruz-O'Neil",
		"Dr. Ada Quill, PhD": "Ada Quill", "高 策": "高策", "鳥海 蒼太": "鳥海 蒼太", "Ignatius P. Vandersloot": "Ignatius P. Vandersloot",
		"Ада Лавлейс": "Ада Лавлейс", "ADA QUILL CV": "Ada Quill",
		"Software Engineer": "", "SALES ASSOCIATE": "", "Work Experience": "", "New York": "", "Project Management": "", "lower case": "",
		"Acme Solutions GmbH": "", "Ada": "", "Phone 12": "", "React Native": "", "专业技能": "",
	} {
		if got := x.nameOf(text, ""); got != want {
			t.Errorf("nameOf(%q) = %q, want %q", text, got, want)
		}
	}
	if got := x.nameOf("Anna Koch", "anna koch"); got != "Anna Koch" {
		t.Errorf("a surname that is a trade, as in the address of e-mail, is %q", got)
	}
}

func TestHeadings_AreFoundInManyForms(t *testing.T) {
	d := newDictionary()
	for text, want := range map[string]kind{
		"EXPERIENCE": experience, "Professional Experience": experience, "Selected Work Experience:": experience, "Skills & Tools": skills,
		"Berufserfahrung": experience, "Beruflicher Werdegang": experience, "EXPÉRIENCE PROFESSIONNELLE": experience, "Formación académica": education,
		"Sprachen und Hobbys": languages, "工作经历": experience, "学歴": education, "荣誉奖项（可选）": "awards", "WORKEXPERIENCE": experience,
		"Senior Engineer": "", "Customer Experience Manager": "", "Java": "", "Experience with Go and Rust": "",
	} {
		doc := resume.Document{Lines: []resume.Line{
			{Text: "Marlow Quillfeather", Size: 20}, {Text: text, Size: 14, Bold: true}, {Text: strings.Repeat("running text ", 9), Size: 10},
		}}
		p := newPage(&doc)
		h, ok := d.heading(p, &p.lines[1])
		if h.kind != want || ok != (want != "") {
			t.Errorf("%q is a heading of %q (%v), want %q", text, h.kind, ok, want)
		}
	}
}

func TestLevels(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]string{
		"English (native), German (B2), French – basic": "English native, German B2, French basic",
		"Fluent in English":            "English Fluent",
		"Muttersprache: Deutsch":       "German native",
		"Français : langue maternelle": "French native",
		"英语：流利":                        "English 流利",
		"Dänisch verhandlungssicher":   "Danish verhandlungssicher",
		"inglés c1":                    "English C1",
		"Java, Python":                 "",
	} {
		var got []string
		for _, l := range x.levels(text, "") {
			got = append(got, strings.TrimSpace(l.Name+" "+l.Level))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("levels(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestExtract_IsTheSameEachTimeAndKeepsTheId(t *testing.T) {
	x := newExtractor(t)
	doc := parseDocument("{18 bold} Marlow Quillfeather\nmarlow@example.com\n\n{12 bold} Skills\nGo, Python")
	first := x.Extract(doc)
	for range 20 {
		if diff := cmp.Diff(first, x.Extract(doc)); diff != "" {
			t.Fatal(diff)
		}
	}
	doc.Lines = append(doc.Lines, resume.Line{Text: "SQL"})
	if again := x.Extract(doc); again.Freelancer.ID != first.Freelancer.ID {
		t.Errorf("the id is %q for a newer resume of the same person, want %q", again.Freelancer.ID, first.Freelancer.ID)
	}
}

func TestExtract_EmptyDocument(t *testing.T) {
	r := newExtractor(t).Extract(resume.Document{Pages: 1, Warnings: []resume.Warning{resume.WarnImagePage}})
	if r.Quality.Score != 0 || r.Freelancer.ID == "" && len(r.Skills) > 0 {
		t.Errorf("an empty document has quality %v", r.Quality)
	}
}

// Documents of the size that readers let through must not keep the extractor busy; go test -timeout ends it otherwise.
func TestExtract_HostileDocumentsEnd(t *testing.T) {
	x := newExtractor(t)
	for name, text := range map[string]string{
		"at signs": strings.Repeat("@", 100_000), "dots": strings.Repeat("a.", 50_000), "digits": strings.Repeat("1 ", 50_000),
		"dates": strings.Repeat("2019 - 2020 ", 9_000), "brackets": strings.Repeat("((((", 25_000), "tabs": strings.Repeat("a\t", 50_000),
		"instructions": strings.Repeat("ignore ", 15_000), "emails": strings.Repeat("a@b.cd ", 15_000), "accents": strings.Repeat("e\u0301", 30_000),
	} {
		for _, lines := range []int{1, 500} {
			doc := resume.Document{}
			for i := range lines {
				doc.Lines = append(doc.Lines, resume.Line{Text: text[i*len(text)/lines : (i+1)*len(text)/lines]})
			}
			if r := x.Extract(doc); r.Name != "" {
				t.Errorf("%s in %d lines: the name is %q", name, lines, r.Name)
			}
		}
	}
	doc := resume.Document{}
	for i := range 30_000 {
		doc.Lines = append(doc.Lines, resume.Line{Text: fmt.Sprintf("EXPERIENCE %d", i%3), Size: float64(i % 7), Bold: i%2 == 0})
	}
	x.Extract(doc)
}

func FuzzExtract(f *testing.F) {
	x := newExtractor(f)
	f.Add("{18 bold} Ada Quill\nada@example.org\n\n{12 bold} Experience\nEngineer at Acme    Jan 2019 – now\n- Go")
	f.Add("{} 工作经历\n2021年3月至今    某某公司\nLanguages: English (C1)\n(+86) 1")
	f.Add("EDUCATION    BSc in (\n2016—18\n== sidebar\nPhone    (")
	f.Fuzz(func(t *testing.T, text string) {
		r := x.Extract(parseFuzz(text))
		if r.Quality.Score < 0 || r.Quality.Score > 1 {
			t.Errorf("quality is %v", r.Quality.Score)
		}
		for _, p := range r.Experience {
			if p.Title == "" && p.Company == "" || p.Current && p.End != "" {
				t.Errorf("a position is %+v", p)
			}
		}
		for _, s := range r.Skills {
			if s.ID == "" || s.Section == "" {
				t.Errorf("a skill is %+v", s)
			}
		}
	})
}

// parseFuzz is parseDocument for any text.
func parseFuzz(text string) resume.Document {
	doc := resume.Document{}
	for i, row := range strings.Split(text, "\n") {
		l := resume.Line{Page: 1 + i%2, Text: strings.ReplaceAll(row, "    ", "\t"), Size: float64(len(row) % 4), Bold: len(row)%3 == 0}
		l.Part = resume.Part(len(row) % 4)
		if i%2 == 0 {
			l.Part = resume.Body
		}
		doc.Lines = append(doc.Lines, l)
	}
	return doc
}

func BenchmarkExtract(b *testing.B) {
	x := newExtractor(b)
	var text strings.Builder
	text.WriteString("{20 bold} Marlow Quillfeather\nmarlow@example.com | London, UK | +44 20 7946 0991\n\n{13 bold} Experience\n")
	for i := range 8 {
		fmt.Fprintf(&text, "{10 bold} Backend Engineer, Company %d Ltd    Mar %d – Feb %d\n", i, 2018-2*i, 2020-2*i)
		for range 5 {
			text.WriteString("- Moved the ledger from PHP to Go and PostgreSQL, with tests, on Kubernetes and Terraform, for 14 teams\n")
		}
	}
	text.WriteString("\n{13 bold} Education\nUniversity of Eastmere    2013 – 2016\nBSc in Computer Science\n\n{13 bold} Skills\n")
	text.WriteString("Go, Python, SQL, Docker, Kubernetes, Terraform, PostgreSQL, Redis, Kafka, React, TypeScript, HTML, CSS\n")
	doc := parseDocument(text.String())
	b.ReportAllocs()
	for b.Loop() {
		x.Extract(doc)
	}
}
