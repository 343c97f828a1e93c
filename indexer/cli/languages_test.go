package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLoad_FilesInOtherLanguages loads files as people in different countries write them, without any options.
func TestLoad_FilesInOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language, content string
		want              map[string]any
	}{
		{
			"German",
			"Vorname;Name;Berufsbezeichnung;Fähigkeiten;Berufserfahrung;Bewertung;Anzahl Bewertungen;Stundensatz (netto);" +
				"Verfügbarkeit;Ort;Tagessatz\n" +
				"Mira;Baden;Entwicklerin;\"Python (5 Jahre), Java und Go\";über 5 Jahre;4,5;1.234;40 USD/Std.;" +
				"verfügbar ab sofort;Köln;800 €\n",
			map[string]any{
				"name": "Mira Baden", "job_title": "Entwicklerin", "skills": []any{"Python", "Java", "Go"}, "experience": 5.0,
				"rating": 4.5, "total_sales": 1234.0, "hourly_rate": 40.0, "availability": true,
			},
		},
		{
			"French",
			"Nom,Prénom,Métier,Compétences,Années d'expérience,Note,Nb d'avis,TJM,Taux horaire,Dispo ?,Ville\n" +
				"Baden,Mira,Graphiste,\"Figma★★★★, Sketch\",10+ ans,\"4,5 sur 5\",35 avis,400 €,45 USD / h,en mission,Lyon\n",
			map[string]any{
				"name": "Mira Baden", "job_title": "Graphiste", "skills": []any{"Figma", "Sketch"}, "experience": 10.0,
				"rating": 4.5, "total_sales": 35.0, "hourly_rate": 45.0, "availability": false,
			},
		},
		{
			"Polish",
			"Imię;Nazwisko;Stanowisko;Umiejętności;Doświadczenie;Ocena;Liczba opinii;Stawka godzinowa;Dostępność;Miasto\n" +
				"Mira;Baden;Programistka;\"{Go,\"\"Web Design\"\"}\";ponad 10 lat;4,5;brak;80 USD/godz.;tak;Łódź\n",
			map[string]any{
				"name": "Mira Baden", "job_title": "Programistka", "skills": []any{"Go", "Web Design"}, "experience": 10.0,
				"rating": 4.5, "total_sales": nil, "hourly_rate": 80.0, "availability": true,
			},
		},
		{
			"questions of a form",
			"Timestamp,What is your full name?,What do you do?,Which skills do you have?," +
				"How many years of experience do you have?,What is your hourly rate? (USD),Are you available?," +
				"Where are you based?\n" +
				"2026/01/02,Mira Baden,Designer,\"Figma: expert, Sketch\",5+ years,$40,\"Part-time, 20h/week\",Oslo\n",
			map[string]any{
				"name": "Mira Baden", "job_title": "Designer", "skills": []any{"Figma", "Sketch"}, "experience": 5.0,
				"rating": nil, "total_sales": nil, "hourly_rate": 40.0, "availability": true,
			},
		},
	} {
		t.Run(test.language, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			s.must("load", s.file("people.csv", test.content))
			got := s.live()[0]
			for field, want := range test.want {
				if diff := cmp.Diff(want, got[field]); diff != "" {
					t.Errorf("%s (-want +got)\n%s", field, diff)
				}
			}
		})
	}
}
