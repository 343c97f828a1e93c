package kind_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/kind"
)

// table parses a CSV, whose rows are repeated to make a sample. A header that is the name of a field sets the field of
// its column.
func table(t *testing.T, text string) kind.Table {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	result := kind.Table{Headers: records[0]}
	for range 10 {
		result.Rows = append(result.Rows, records[1:]...)
	}
	for _, header := range records[0] {
		switch header {
		case "name", "hourly_rate", "experience", "rating", "profile_url", "availability", "job_title", "description":
			result.Fields = append(result.Fields, header)
		}
	}
	return result
}

func TestJudge_RefusesOtherKinds(t *testing.T) {
	tests := []struct{ name, want, evidence, text string }{
		{
			"postings with the columns of a marketplace", "job posting", "proposals",
			"title,description,budget,skills,posted,proposals\nNew site,Simple pages,$250 - $750,PHP,2 hours ago,12\n",
		},
		{
			"postings known by their values alone", "job posting", "looking for",
			"title,description,price,skills\n" +
				"Bakery site,\"We have a small bakery in Lima, known for its bread, and are looking for help.\",$30,PHP\n" +
				"Fix my shop,I need someone to repair the checkout.,$250 - $750,PHP\n" +
				"Logo,Design of a logo in two colors,$10,Figma\n",
		},
		{
			"titles that ask", "job posting", "Need a logo",
			"title,skills,rating\nNeed a logo for a bakery,Figma,4\nWordPress developer needed,PHP,5\n" +
				"Looking for a tutor,Math,5\n",
		},
		{
			"employment", "job posting", "job description",
			"Job Title,Company,Salary,Location,Job Description\nBackend engineer,Example Ltd,90000,Oslo,\"About the team. " +
				"The ideal candidate knows Go.\"\n",
		},
		{"camel case", "job posting", "bidCount", "title,bidCount,clientCountry\nLogo,4,Chile\n"},
		{"Spanish", "job posting", "Necesito", "titulo,detalle\nTienda,Necesito un programador para mi tienda\n"},
		{"Portuguese", "job posting", "Preciso de", "título,detalhe\nLoja,Preciso de um programador\n"},
		{"French", "job posting", "Nous recherchons", "titre,texte\nSite,Nous recherchons une graphiste\n"},
		{"German", "job posting", "Wir suchen", "titel,text\nWebseite,Wir suchen einen Entwickler\n"},
		{"Italian", "job posting", "Cerchiamo", "titolo,testo\nSito,Cerchiamo un grafico\n"},
		{"Dutch", "job posting", "Wij zoeken", "titel,tekst\nWebsite,Wij zoeken een ontwikkelaar\n"},
		{"Polish", "job posting", "Szukam osoby", "tytuł,opis\nSklep,Szukam osoby do zrobienia sklepu\n"},
		{
			"gigs", "gig", "I will design a modern logo",
			"title,seller,price\nI will design a modern logo,mirat,$25\nI will write a blog post,orenv,$15\n",
		},
		{
			"gigs of named sellers with ratings", "gig", "delivery_time",
			"name,title,price,rating,delivery_time\nMira Talden,I will design a modern logo,$25,4.9,3 days\n",
		},
		{"gigs in German", "gig", "Ich erstelle", "Titel,Preis\nIch erstelle ein modernes Logo,25\n"},
		{"gigs in Spanish", "gig", "Diseñaré", "título,precio\nDiseñaré un logotipo moderno,25\n"},
		{"products", "product", "sku", "sku,name,price,stock,description\nA1,Oak table,$250,4,Solid oak\n"},
	}

	judge := kind.NewJudge()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := judge.Judge(table(t, test.text))
			if got.Kind != test.want || len(got.Evidence) == 0 || len(got.Evidence) > 3 {
				t.Fatalf("verdict %+v, want a list of %ss with one to three examples", got, test.want)
			}

			if all := strings.Join(got.Evidence, "; "); !strings.Contains(strings.ToLower(all), strings.ToLower(test.evidence)) {
				t.Errorf("evidence %s, want %q in it", all, test.evidence)
			}
		})
	}
}

func TestJudge_AcceptsPeople(t *testing.T) {
	for name, text := range map[string]string{
		"profiles that offer help": "name,job_title,skills,description\n" +
			"Mira Talden,Designer,Figma,I will help you with your logo\nOren Vask,Writer,SEO,I will write your blog\n",
		"a few titles like those of gigs": "name,job_title,skills,hourly_rate\n" +
			"Mira Talden,I will design your logo,Figma,40\nOren Vask,Writer,SEO,20\nTalia Reth,Tutor,Math,15\n",
		"people who look for projects": "name,title,skills\n" +
			"Mira Talden,Project Manager – looking for new projects,Scrum\n" +
			"Oren Vask,Illustrator seeking work,Figma\nTalia Reth,Looking for an opportunity in finance,Excel\n",
		"recruiters": "name,job_title,skills,description\n" +
			"Mira Talden,Recruiter,Hiring,\"Need a developer? I recruit people for startups. We are hiring all year.\"\n" +
			"Oren Vask,Talent scout,Sourcing,I am a recruiter and find the person you are looking for.\n",
		"profiles that ask a question": "name,skills,bio\n" +
			"Mira Talden,Figma,Are you looking for a designer? I am a designer with ten years of experience.\n" +
			"Oren Vask,Go,\"If you need a developer, contact me.\"\n",
		"candidates with the job that they applied for": "Candidate,Job applied for,Stage,Skills,Expected salary\n" +
			"Mira Talden,Backend engineer,Interview,Go,90000\n",
		"statistics of freelancers": "Freelancer_ID,Job_Category,Platform,Client_Region,Payment_Method,Job_Completed," +
			"Hourly_Rate,Client_Rating,Job_Duration_Days,Project_Type,Rehire_Rate\n" +
			"1,Web,Fiverr,Asia,PayPal,180,95,3.2,1,Fixed," +
			"40\n",
		"rates as ranges":      "name,job_title,skills,hourly_rate\nMira Talden,Designer,Figma,$20 - $40\n",
		"praise by clients":    "name,skills,feedback\nMira Talden,Go,We need more people like her\n",
		"a company and salary": "name,company,salary,experience,skills\nMira Talden,Example Ltd,90000,7,Go\n",
		"German profiles": "Name,Titel,Beschreibung\nMira Talden,Entwicklerin,Ich suche neue Projekte in Hamburg\n" +
			"Oren Vask,Texter,Ich bin Texter und biete Texte für Webseiten\n",
		"Spanish profiles": "nombre,perfil\nMira Talden,Busco trabajo como diseñadora\nOren Vask,Soy un programador\n",
		"headers alone":    "id,name,skills\n",
		"nothing":          "a,b\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got := kind.NewJudge().Judge(table(t, text)); got.Kind != "" {
				t.Errorf("verdict %+v, want none", got)
			}
		})
	}
}

// A table may have short and long rows, blank cells, and any characters.
func FuzzJudge(f *testing.F) {
	f.Add("title,bids", "$5–$10", "’—\x80ı")
	judge := kind.NewJudge()
	f.Fuzz(func(_ *testing.T, headers, a, b string) {
		judge.Judge(kind.Table{Headers: strings.Split(headers, ","), Rows: [][]string{{a}, {a, b, a}, nil, {"", b}}})
	})
}

func BenchmarkJudge(b *testing.B) {
	rows := make([][]string, 200)
	for i := range rows {
		long := strings.Repeat("Ten years of work in many small teams have taught me patience. ", 10)
		rows[i] = []string{"Mira Talden", "Go developer", "Go, SQL, Docker", "$40", "4.9", "https://a.example/mira", long}
	}
	headers := []string{"name", "job_title", "skills", "hourly_rate", "rating", "profile_url", "description"}
	for b.Loop() {
		kind.NewJudge().Judge(kind.Table{Headers: headers, Rows: rows})
	}
}
