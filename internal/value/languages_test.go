package value

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestUnknown_InEveryLanguage(t *testing.T) {
	t.Parallel()
	for language, cells := range map[string][]string{
		"en": {
			"", " ", "-", "N/A", "n.a.", "NA", "null", "None", "NaN", "not specified", "Not provided", "TBD",
			"(blank)", `\N`,
		},
		"es": {"no aplica", "Sin datos", "no especificado", "S/D", "ninguno", "Sin información"},
		"pt": {"não informado", "NÃO INFORMADO", "não se aplica", "sem informação", "nenhum"},
		"fr": {"s/o", "S.O.", "sans objet", "non renseigné", "Non renseignée", "n.c.", "néant", "aucune"},
		"de": {"k. A.", "k.A.", "keine Angabe", "Keine Angaben", "unbekannt", "entfällt", "n. v."},
		"it": {"n.d.", "non fornito", "nessuno", "n.p."},
		"nl": {"n.v.t.", "nvt", "geen", "onbekend", "niet van toepassing"},
		"pl": {"brak", "Brak danych", "nie dotyczy", "b/d", "nie podano"},
	} {
		if language != "en" && language != "it" {
			cells = append(cells, "n/a")
		}

		for _, cell := range cells {
			if !Unknown(cell) {
				t.Errorf("%s: Unknown(%q) = false", language, cell)
			}
		}
	}

	for _, cell := range []string{"Na", "Nadia", "No", "Go", "ab", "Ana N.", "Geena", "Brakel", "0", "no disponible"} {
		if Unknown(cell) {
			t.Errorf("Unknown(%q) = true", cell)
		}
	}
}

func TestYears_InEveryLanguage(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]float64{
		"10 años": 10, "10 anos": 10, "más de 5 años": 5, "5 años de experiencia": 5, "2 años y 6 meses": 2.5,
		"10+ ans": 10, "plus de 5 ans": 5, "5 ans d'expérience": 5, "5 ans d’expérience": 5, "6 mois": 0.5,
		"über 5 Jahre": 5, "Mehr als 10 Jahre": 10, "5 Jahre Berufserfahrung": 5, "3 Jahre und 6 Monate": 3.5,
		"1 Jahr":         1,
		"mais de 3 anos": 3, "8 anos de experiência": 8, "6 meses": 0.5, "1 ano e 6 meses": 1.5,
		"più di 4 anni": 4, "4 anni di esperienza": 4, "oltre 10 anni": 10, "2,5 anni": 2.5,
		"5 jaar": 5, "meer dan 5 jaar ervaring": 5, "5 jaar werkervaring": 5, "2,5 jaar": 2.5,
		"5 lat": 5, "2 lata": 2, "1 rok": 1, "ponad 10 lat doświadczenia": 10, "6 miesięcy": 0.5,
		"about 5 years": 5, "ca. 5 Jahre": 5, "7 years of professional experience": 7,
	} {
		if got, remark := Years(cell); got != matching.Some(want) || remark != "" {
			t.Errorf("Years(%q) = %v, %q, want %v", cell, got, remark, want)
		}
	}

	for cell, want := range map[string]float64{
		"menos de 1 año": 0, "moins d'un an": 0,
		"less than a year": 0, "weniger als ein Jahr": 0, "weniger als 1 Jahr": 0, "meno di 2 anni": 0,
		"minder dan 1 jaar": 0,
		"poniżej 1 roku":    0, "5 bis 10 Jahre": 5, "de 5 a 10 años": -1, "5 a 10 años": 5, "5 à 10 ans": 5,
		"3 do 5 lat":   3,
		"3 tot 5 jaar": 3, "bis zu 3 Jahre": 0, "up to 3 years": 0,
	} {
		got, remark := Years(cell)
		isRange := got == matching.Some(want) && remark == remarkYearsRange
		if want < 0 && (got.Known || remark == "") || want >= 0 && !isRange {
			t.Errorf("Years(%q) = %v, %q, want %v", cell, got, remark, want)
		}
	}

	for _, cell := range []string{
		"diez años", "5 proyectos", "desde 2015", "seit 2015", "5 Tage", "viele Jahre",
		"5 Jahre in 3 Firmen",
	} {
		if got, remark := Years(cell); got.Known || remark == "" {
			t.Errorf("Years(%q) = %v, %q, want unknown with a remark", cell, got, remark)
		}
	}
}

func TestFlag_InEveryLanguage(t *testing.T) {
	t.Parallel()
	for want, cells := range map[bool][]string{
		true: {
			"sí", "SÍ", "si", "disponible", "Disponible ahora", "jornada completa", "sim", "Disponível", "oui", "Oui",
			"disponible immédiatement", "à temps plein", "mi-temps", "ja", "verfügbar", "Verfügbar ab sofort", "sofort",
			"Vollzeit", "in Teilzeit", "sì", "Disponibile subito", "tempo pieno", "beschikbaar", "per direct",
			"voltijd", "tak",
			"Dostępna od zaraz", "pełny etat", "full time", "Part-time 20h/week", "part-time, 20h/week", "20 h/week",
			"Full-time (40 hrs/week)", "Available - 30+ hrs/week", "20 Std./Woche", "20 Stunden pro Woche",
			"20 horas por semana", "20-30 hrs/week", "Available, open to offers", "✅", "more than 30 hrs/week",
			"Teilzeit, 20 Std. pro Woche", "32 uur per week", "20 godzin tygodniowo",
		},
		false: {
			"no", "no disponible", "Ocupado", "não", "Indisponível", "non", "indisponible", "occupé", "en mission", "nein",
			"nicht verfügbar", "Ausgebucht", "derzeit nicht verfügbar", "non disponibile", "impegnata", "nee",
			"niet beschikbaar", "volgeboekt", "nie", "niedostępny", "zajęta", "On leave", "fully booked", "❌",
		},
	} {
		for _, cell := range cells {
			if got, remark := Flag(cell); got != matching.Some(want) || remark != "" {
				t.Errorf("Flag(%q) = %v, %q, want %t", cell, got, remark, want)
			}
		}
	}

	for cell, want := range map[string]string{
		"available from 2027-01-01": remarkLaterFlag, "ab 01.03.2027": remarkLaterFlag, "2027-01-01": remarkLaterFlag,
		"Indisponible jusqu'au 01/02/2027": remarkLaterFlag, "not available until Feb 2027": remarkLaterFlag,
		"verfügbar ab 1. März": remarkLaterFlag, "disponible à partir du 15/01/2027": remarkLaterFlag,
		"Disponibile dal 1 marzo": remarkLaterFlag, "dostępny od 01.03": remarkLaterFlag,
		"part time, available from 2027-01-01": remarkLaterFlag, "beschikbaar vanaf 1 maart": remarkLaterFlag,
		"available, but busy": remarkNotFlag, "yes, no": remarkNotFlag, "maybe": remarkNotFlag, "50%": remarkNotFlag,
		"no idea": remarkNotFlag, "vielleicht": remarkNotFlag, "0 hrs/week": remarkNotFlag,
		"busy 20 hrs/week": remarkNotFlag,
		"k. A.":            "", "geen": "",
	} {
		if got, remark := Flag(cell); got.Known || remark != want {
			t.Errorf("Flag(%q) = %v, %q, want unknown with %q", cell, got, remark, want)
		}
	}
}

func TestHourlyRate_InEveryLanguage(t *testing.T) {
	t.Parallel()
	c := Currencies{Base: "EUR", Rates: map[string]float64{"CHF": 1, "BRL": 1, "PLN": 1, "USD": 1, "GBP": 1}}
	for cell, want := range map[string]float64{
		"25 EUR/Std.": 25, "25 €/Stunde": 25, "25 € pro Stunde": 25, "25 Euro die Stunde": 25, "25,50 € / h": 25.5,
		"45 €/h": 45, "45€ de l'heure": 45, "45 € par heure": 45, "45 € HT/h": 45, "45 €/heure": 45,
		"à partir de 45 €": 45,
		"1.234,50 €":       1234.5, "1 234,50 €": 1234.5, "1\u202f234,50\u00a0€": 1234.5, "1’234.50 CHF": 1234.5,
		"R$ 80/hora": 80, "R$ 80 por hora": 80, "80 reais por hora": 80, "R$80,50/h": 80.5,
		"80 zł/godz.": 80, "80 zł za godzinę": 80, "80 PLN/h netto": 80, "80zł/h": 80,
		"CHF 120.–": 120, "CHF 120.-": 120, "120,- €": 120, "25 €/ora": 25, "25 € all'ora": 25, "25 euro l'ora": 25,
		"40 €/uur": 40, "€ 40 per uur excl. btw": 40, "€40,- p/u": 40, "20 €/hora": 20, "20 € la hora": 20,
		"20 euros por hora":   20,
		"20 dólares por hora": 20, "ab 80 €": 80, "ca. 80 €/Std. zzgl. MwSt.": 80, "min. 40 €/h": 40, "60 €/h VB": 60,
		"$20 an hour": 20, "20 USD + VAT": 20, "4.5E1": 45, "12.0345": 12.0345, "0.125": .125,
	} {
		if got, remark := c.HourlyRate(cell, ""); got != matching.Some(want) || remark != "" {
			t.Errorf("HourlyRate(%q) = %v, %q, want %v", cell, got, remark, want)
		}
	}

	for cell, want := range map[string]string{
		"400 €/Tag": remarkNotHourly, "400 € / jour": remarkNotHourly, "400 €/j": remarkNotHourly,
		"TJM 400 €": remarkNotHourly,
		"300 €/día": remarkNotHourly, "3000 € al mes": remarkNotHourly, "3000 €/Monat": remarkNotHourly,
		"R$ 500 por dia": remarkNotHourly, "400 € al giorno": remarkNotHourly, "400 €/dag": remarkNotHourly,
		"800 zł/dzień": remarkNotHourly, "60000 € / an": remarkNotHourly, "60,000 p.a.": remarkNotHourly,
		"60.000 € im Jahr": remarkNotHourly, "$1 per min": remarkNotHourly, "500 € Pauschale": remarkNotMoney,
		"verhandelbar": remarkNotMoney, "a convenir": remarkNotMoney, "bis 50 €": remarkNotMoney,
		"do 50 zł":   remarkNotMoney,
		"hasta 50 €": remarkNotMoney, "500 pesos": remarkAmbiguousSign, "1.234 €": remarkUnclearPoint,
		"12.500": remarkUnclearPoint, "12.505 USD": remarkUnclearPoint,
		"s/o": "", "brak": "",
	} {
		if got, remark := c.HourlyRate(cell, ""); got.Known || remark != want {
			t.Errorf("HourlyRate(%q) = %v, %q, want unknown with %q", cell, got, remark, want)
		}
	}

	for _, cell := range []string{
		"30 bis 50 €", "30-50 €/Std.", "30 a 50 €", "30 à 50 € par heure",
		"30 tot 50 euro", "30 do 50 zł",
	} {
		if got, remark := c.HourlyRate(cell, ""); got != matching.Some(30.0) || remark != remarkRateRange {
			t.Errorf("HourlyRate(%q) = %v, %q, want 30 with a remark", cell, got, remark)
		}
	}
}

func TestCountAndRating_InEveryLanguage(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]int{
		"12 proyectos": 12, "más de 100": 100, "mehr als 100 Projekte": 100, "über 50": 50, "35 avis": 35,
		"50 opinii":      50,
		"keine Projekte": 0, "aucun projet": 0, "no jobs": 0, "over 3M": 3_000_000,
	} {
		if got, remark := Count(cell); got != matching.Some(want) || remark != "" {
			t.Errorf("Count(%q) = %v, %q, want %d", cell, got, remark, want)
		}
	}

	for cell, want := range map[string]float64{
		"4,5 von 5": 4.5, "4,5 von 5 Sternen": 4.5, "4,5 sur 5": 4.5, "4,5 de 5 estrellas": 4.5, "4,5 su 5": 4.5,
		"4,5 van 5": 4.5, "4 étoiles": 4, "4 Sterne": 4, "4,8 (35 avis)": 4.8, "9 von 10": 4.5, "4 z 5 gwiazdek": 4,
	} {
		if got, _, remark := Rating(cell, 5); got != matching.Some(want) || remark != "" {
			t.Errorf("Rating(%q) = %v, %q, want %v", cell, got, remark, want)
		}
	}

	for _, cell := range []string{"5 Sterne", "3 étoiles", "4 gwiazdki"} {
		if got, remark := Count(cell); got.Known || remark == "" {
			t.Errorf("Count(%q) = %v, %q, want unknown with a remark", cell, got, remark)
		}
	}
}

func TestDecimals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		cells []string
		want  Decimals
		clear map[string]string
	}{
		{
			"decimal commas",
			[]string{"25,50", "1.234 €"},
			CommaDecimals,
			map[string]string{"1.234 €": "1234 €", "1,234": "1.2340", "25,50": "25,50", "30-1.500": "30-1500", "x": "x"},
		},
		{"decimal points", []string{"25.5", "1.234"}, PointDecimals, map[string]string{
			"1.234": "1.2340",
			"1,234": "1,234",
		}},
		{"both signs", []string{"1.234,50"}, CommaDecimals, map[string]string{"12.500": "12500"}},
		{"several groups", []string{"1.234.567"}, CommaDecimals, nil},
		{"starts with 0", []string{"0.125", "0.5"}, PointDecimals, nil},
		{"no decimals", []string{"25", "1.234", "", "Go"}, UnclearDecimals, map[string]string{"1.234": "1.234"}},
		{"thousands with commas", []string{"1,234,567"}, PointDecimals, nil},
		{"contradiction", []string{"25,50", "25.50"}, UnclearDecimals, nil},
	} {
		got := JudgeDecimals(slices.Values(test.cells))
		if got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}

		for cell, want := range test.clear {
			if clear := got.Clarify(cell); clear != want {
				t.Errorf("%s: %q became %q, want %q", test.name, cell, clear, want)
			}
		}
	}
}

func TestSkills_Levels(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"Python (5 years)": "Python", "Python (5+ yrs)": "Python", "Python - 5 yrs": "Python",
		"Python – 5 años": "Python",
		"Python: expert":  "Python", "Python : Expert": "Python", "Python★★★★": "Python", "Python ★★★☆☆": "Python",
		"Python 90%": "Python", "Python (90%)": "Python", "Python (expert, 5 years)": "Python", "Python: 4/5": "Python",
		"Python 5 years": "Python", "Python (fortgeschritten)": "Python", "Python - avanzado": "Python",
		"C# (3 Jahre)":     "C#",
		"Python: sehr gut": "Python", ".NET 8 (expert)": ".NET 8", "Vue 3: advanced": "Vue 3",
		"Go (less than 1 year)": "Go",
		"Java (Advanced)":       "Java", "Python (8/10)": "Python (8/10)",
		"C#": "C#", ".NET 8": ".NET 8", "Vue 3": "Vue 3", "Web 2.0": "Web 2.0", "3D": "3D", "ISO 27001": "ISO 27001",
		"Office 365": "Office 365", "ISO 9001:2015": "ISO 9001:2015", "React (Native)": "React (Native)",
		"C++ (STL)": "C++ (STL)", "Unreal Engine 4/5": "Unreal Engine 4/5", "Unreal Engine (4/5)": "Unreal Engine (4/5)",
		"Visual Basic": "Visual Basic", "Angular 2+": "Angular 2+", "Windows 11": "Windows 11", "5S": "5S",
		"A/B testing":         "A/B testing",
		"Tutoring 6-12 years": "Tutoring 6-12 years", "Adobe CC 2024": "Adobe CC 2024",
		"Scrum: The Art": "Scrum: The Art",
		"T-SQL":          "T-SQL", "Dynamics 365 Business Central": "Dynamics 365 Business Central", "D3.js": "D3.js",
		"CSS3":        "CSS3",
		"Section 508": "Section 508", "100% Remote": "100% Remote", "Illustration - Digital": "Illustration - Digital",
	} {
		if got, _ := Skills(cell, false); !slices.Equal(got, []string{want}) {
			t.Errorf("Skills(%q) = %q, want %q", cell, got, want)
		}
	}
}

func TestSkills_Lists(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string][]string{
		`{Python,Go}`: {"Python", "Go"}, `{"Web Design",Go,NULL,"say \"hi\""}`: {"Web Design", "Go", `say "hi`},
		`{'Python', 'Go'}`: {"Python", "Go"}, `{SEO}`: {"SEO"}, `{}`: nil,
		"Python (5 years), Go (2 years)": {"Python", "Go"}, "Python: expert; Go: basic": {"Python", "Go"},
		"HTML, CSS and JavaScript": {"HTML", "CSS", "JavaScript"}, "HTML, CSS, and Go": {"HTML", "CSS", "Go"},
		"Python, Go y Rust": {"Python", "Go", "Rust"}, "Python, Java und Go": {"Python", "Java", "Go"},
		"PHP, SQL et Docker": {"PHP", "SQL", "Docker"}, "PHP, SQL i Docker": {"PHP", "SQL", "Docker"},
		"SEO, Arts and Crafts": {"SEO", "Arts and Crafts"}, "Java, Forschung und Entwicklung": {
			"Java",
			"Forschung und Entwicklung",
		},
		"SEO, Copy and Paste": {"SEO", "Copy and Paste"}, "SEO, e commerce": {"SEO", "e commerce"},
	} {
		got, remark := Skills(cell, false)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Skills(%q), remark %q (-want +got)\n%s", cell, remark, diff)
		}
	}
}

// TestYears_OrMore reads numbers of years that are a lower limit.
func TestYears_OrMore(t *testing.T) {
	for _, cell := range []string{
		"15 years or more", "15 ans et plus", "15 años o más", "15 Jahre und mehr", "15 anni e oltre", "15 anos ou mais",
		"15 jaar of meer", "15 lat i więcej", "15 years plus",
	} {
		if got, remark := Years(cell); got.Value != 15 || !got.Known || remark != "" {
			t.Errorf("Years(%q) = %+v, %q; want 15", cell, got, remark)
		}
	}
}

// TestFlag_Checkbox reads the checkboxes of Airtable.
func TestFlag_Checkbox(t *testing.T) {
	for cell, want := range map[string]bool{"checked": true, "unchecked": false} {
		if got, _ := Flag(cell); !got.Known || got.Value != want {
			t.Errorf("Flag(%q) = %+v; want %t", cell, got, want)
		}
	}
}
