package cli

import (
	"fmt"
	"strings"
)

// columnCases returns cases about which column means what, and on which scale or in which currency.
func columnCases() []corpusCase {
	// rated returns people with the ratings, one by one.
	rated := func(header string, ratings ...string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "name,location,skills,%s\n", header)
		for i, p := range invented(len(ratings)) {
			fmt.Fprintf(&b, "%s,City %d,Go,%s\n", p[0], i, ratings[i])
		}
		return b.String()
	}

	late := make([]string, 400) // the first 300 rows fit a scale of 5, the rest don't
	for i := range late {
		late[i] = fmt.Sprintf("%.1f", 3+float64(i%20)/10)
		if i >= 300 {
			late[i] = fmt.Sprintf("%.1f", 7+float64(i%30)/10)
		}
	}

	return []corpusCase{
		{
			name: "dollars per hour under Price",
			files: files{
				"people.csv",
				"Name,Skills,Price\nMira Talden,Go,$51/hr\nOren Vask,SEO,$20/hr\nTalia Reth,Figma,$33/hr\n",
			},
			want: loads(3, "Mira Talden: hourly_rate=51", "Oren Vask: hourly_rate=20"),
		},
		{
			name: "dollars per hour under a header that says nothing",
			files: files{
				"people.csv",
				"Name,Skills,Column3\nMira Talden,Go,$51/hr\nOren Vask,SEO,$20/hr\nTalia Reth,Figma,$33/hr\n",
			},
			want: loads(3, "Mira Talden: hourly_rate=51", "Oren Vask: hourly_rate=20"),
		},
		{
			name: "project prices under Price",
			files: files{"people.csv", "Name,Skills,Price\nMira Talden,Go,$2500\nOren Vask,SEO,$900\n" +
				"Talia Reth,Figma,$1200 per project\n"},
			want: loads(3, "Mira Talden: hourly_rate=unknown", "Talia Reth: hourly_rate=unknown"),
		},
		{
			name: "stars",
			files: files{
				"people.csv",
				"Name,Skills,Feedback\nMira Talden,Go,★★★★☆\nOren Vask,SEO,★★★★★\nTalia Reth,Figma,★★★☆☆\n",
			},
			want: loads(3, "Mira Talden: rating=4", "Oren Vask: rating=5", "Talia Reth: rating=3"),
		},
		{
			name: "a column of currency codes",
			files: files{"people.csv", "name,skills,hourly_rate,currency\nMira Talden,Go,1500,INR\nOren Vask,SEO,40,USD\n" +
				"Talia Reth,Figma,30,EUR\n"},
			want: loads(3, "Mira Talden: hourly_rate=unknown", "Oren Vask: hourly_rate=40", "Talia Reth: hourly_rate=unknown").
				saying("INR", "-rate"),
		},
		{
			name: "a column of currency codes, with exchange rates",
			files: files{"people.csv", "name,skills,hourly_rate,currency\nMira Talden,Go,1500,INR\nOren Vask,SEO,40,USD\n" +
				"Talia Reth,Figma,30,EUR\n"},
			args: "load -rate INR=0.012 -rate EUR=1.1 people.csv",
			want: loads(3, "Mira Talden: hourly_rate=18", "Oren Vask: hourly_rate=40", "Talia Reth: hourly_rate=33"),
		},
		{
			name:  "rupees with a sign",
			files: files{"people.csv", "name,skills,hourly_rate\nMira Talden,Go,\"₹1,500\"\nOren Vask,SEO,Rs. 900\n"},
			want:  loads(2, "Mira Talden: hourly_rate=1500", "Oren Vask: hourly_rate=900").saying("currency: INR"),
		},
		{
			name:  "euros in the header",
			files: files{"people.csv", "name,skills,Hourly rate (EUR)\nMira Talden,Go,30\nOren Vask,SEO,40\n"},
			args:  "load -rate EUR=1.1 people.csv",
			want:  loads(2, "Mira Talden: hourly_rate=33", "Oren Vask: hourly_rate=44"),
		},
		{
			name:  "euros in the header, without an exchange rate",
			files: files{"people.csv", "name,skills,Rate in €\nMira Talden,Go,30\nOren Vask,SEO,40\n"},
			want:  loads(2, "Mira Talden: hourly_rate=30", "Oren Vask: hourly_rate=40").saying("currency: EUR"),
		},
		{
			name:  "ratings to 10 of which the first 300 fit a scale of 5",
			files: files{"people.csv", rated("Rating", late...)},
			want:  loads(400, invented(1)[0][0]+": rating=1.5", invented(301)[300][0]+": rating=3.5"),
		},
		{
			name: "ratings to 5", files: files{"people.csv", rated("Rating", "4.5", "3", "5", "4.9")},
			want: loads(4, invented(1)[0][0]+": rating=4.5"),
		},
		{
			name: "percentages without a sign", files: files{"people.csv", rated("Rating", "98", "87", "100", "5")},
			want: loads(4, invented(1)[0][0]+": rating=4.9", invented(4)[3][0]+": rating=0.25"),
		},
		{
			name: "percentages under Job Success", files: files{"people.csv", rated("Job Success", "98%", "87%", "100%")},
			want: loads(3, invented(1)[0][0]+": rating=4.9"),
		},
		{
			name: "ratings that name their scale", files: files{"people.csv", rated("Score", "4.5/5", "8/10", "3 out of 5")},
			want: loads(3, invented(1)[0][0]+": rating=4.5", invented(2)[1][0]+": rating=4", invented(3)[2][0]+": rating=3"),
		},
		{
			name:  "a matrix of skills, of which only the names are recognized",
			files: files{"people.csv", "Consultant,Java,Go\nMira Talden,5,3\nOren Vask,2,4\n"},
			want: loads(2, "Mira Talden: skills=Java|Go", "Oren Vask: skills=Java|Go").
				or(loads(2).saying("no search finds")).or(refuses("-map")),
		},
		{
			name:  "a salary is no rate",
			files: files{"people.csv", "name,skills,salary\nMira Talden,Go,85000\nOren Vask,SEO,$60000\n"},
			want:  loads(2, "Mira Talden: hourly_rate=unknown", "Oren Vask: hourly_rate=unknown"),
		},
		{
			name:  "rates for a day",
			files: files{"people.csv", "name,skills,Day rate\nMira Talden,Go,$480\nOren Vask,SEO,$320\n"},
			want:  loads(2, "Mira Talden: hourly_rate!=480", "Oren Vask: hourly_rate!=320"),
		},
		{
			name:  "no rate can be read",
			files: files{"people.csv", "name,skills,rate\nMira Talden,Go,£60\nOren Vask,SEO,45 GBP\n"},
			args:  "load -currency USD people.csv",
			want:  refuses("no value could be read for hourly_rate of 2 rows", "GBP"),
		},
		{
			name:  "no rate can be read, and none is needed",
			files: files{"people.csv", "name,skills,rate\nMira Talden,Go,£60\nOren Vask,SEO,45 GBP\n"},
			args:  "load -currency USD -map hourly_rate= people.csv",
			want:  loads(2),
		},
		{
			name:  "rates for a day under a French header",
			files: files{"people.csv", "nom,compétences,TJM (€ HT)\nMira Talden,Go,480\nOren Vask,SEO,60 €/h\n"},
			args:  "load -currency EUR -hours-per-day 7.5 people.csv",
			want:  loads(2, "Mira Talden: hourly_rate=64", "Oren Vask: hourly_rate=60").saying("per day, divided by 7.5"),
		},
		{
			name:  "rates for a day chosen as rates for an hour",
			files: files{"people.csv", "name,skills,tjm\nMira Talden,Go,480\nOren Vask,SEO,320\n"},
			args:  "load -map hourly_rate=tjm people.csv",
			want:  refuses("-map daily_rate="),
		},
		{
			name: "some rates are for a day or a month",
			files: files{
				"people.csv",
				"name,skills,Rate\nMira Talden,Go,$60/hr\nOren Vask,SEO,$320/day\nTalia Reth,SEO,$4000/month\n",
			},
			want: loads(3, "Mira Talden: hourly_rate=60", "Oren Vask: hourly_rate!=320", "Talia Reth: hourly_rate!=4000"),
		},
		{
			name:  "unused columns are listed",
			files: files{"people.csv", "name,skills,Shoe size\nMira Talden,Go,38\nOren Vask,SEO,44\n"},
			want:  loads(2).saying("Shoe size"),
		},
		{
			name: "a doubtful column is shown with examples",
			files: files{
				"people.csv",
				"Name,Skills,Price\nMira Talden,Go,$51/hr\nOren Vask,SEO,$20/hr\nTalia Reth,Figma,$33/hr\n" +
					"Bruno Sari,SEO,$44/hr\n",
			},
			want: loads(4).saying("Price", "$51/hr", "$20/hr", "$33/hr"),
		},
		{
			name:  "two columns of skills",
			files: files{"people.csv", "name,primary skills,secondary skills\nMira Talden,\"Go, SQL\",Docker\nOren Vask,SEO,\n"},
			want:  loads(2, "Mira Talden: skills=Go|SQL|Docker", "Oren Vask: skills=SEO"),
		},
		{
			name:  "first and last names",
			files: files{"people.csv", "First name,Last name,Skills\nMira,Talden,Go\nOren,Vask,SEO\n"},
			want:  loads(2, "Mira Talden: skills=Go", "Oren Vask: skills=SEO"),
		},
		{
			name:  "last names before first names",
			files: files{"people.csv", "Last name,First name,Skills\nTalden,Mira,Go\nVask,Oren,SEO\n"},
			want:  loads(2, "Mira Talden: skills=Go", "Oren Vask: skills=SEO"),
		},
		{
			name: "a company is not the title of a person",
			files: files{
				"people.csv",
				"name,title,company,skills\nMira Talden,Go developer,Acme Ltd,Go\nOren Vask,,Zeta Inc,SEO\n",
			},
			want: loads(2, "Mira Talden: job_title=Go developer", "Oren Vask: job_title=unknown"),
		},
		{
			name: "the date of a rating is not a rating",
			files: files{"people.csv", "name,skills,last rating date,rating\nMira Talden,Go,2026-03-01,4.5\n" +
				"Oren Vask,SEO,2026-04-01,4\n"},
			want: loads(2, "Mira Talden: rating=4.5", "Oren Vask: rating=4"),
		},
		{
			name: "questions of a form as headers",
			files: files{
				"people.csv",
				"Timestamp,What is your full name?,What are your main skills?,What is your hourly rate in USD?\n" +
					"3/1/2026 10:00:00,Mira Talden,\"Go, SQL\",45\n3/1/2026 11:00:00,Oren Vask,SEO,20\n",
			},
			want: loads(2, "Mira Talden: skills=Go|SQL; hourly_rate=45", "Oren Vask: hourly_rate=20"),
		},
	}
}

// languageCases returns cases whose headers and values are in one language.
func languageCases() []corpusCase {
	const rates = " -rate EUR=1.1 -rate PLN=0.25 -rate BRL=0.2 "
	return []corpusCase{
		{
			name: "Spanish",
			files: files{
				"personas.csv",
				"Nombre;Puesto;Habilidades;Años de experiencia;Tarifa por hora;Disponible;Valoración\n" +
					"Mira Talden;Desarrolladora;Go, SQL;10 años;25 €/hora;sí;4,5\n" +
					"Oren Vask;Ilustrador;Figma;3 años;30 €/hora;no;4,0\n",
			},
			args: "load" + rates + "personas.csv",
			want: loads(2, "Mira Talden: job_title=Desarrolladora; skills=Go|SQL; experience=10; hourly_rate=27.5; "+
				"availability=yes; rating=4.5", "Oren Vask: experience=3; hourly_rate=33; availability=no"),
		},
		{
			name: "Portuguese",
			files: files{"pessoas.csv", "Nome;Cargo;Habilidades;Anos de experiência;Valor por hora;Disponível;Avaliação\n" +
				"Mira Talden;Desenvolvedora;Go, SQL;10 anos;R$ 50,00;Sim;4,5\n" +
				"Oren Vask;Ilustrador;Figma;3 anos;R$ 100,00;Não;4,0\n"},
			args: "load" + rates + "pessoas.csv",
			want: loads(2, "Mira Talden: job_title=Desenvolvedora; skills=Go|SQL; experience=10; hourly_rate=10; "+
				"availability=yes; rating=4.5", "Oren Vask: hourly_rate=20; availability=no"),
		},
		{
			name: "French",
			files: files{"personnes.csv", "Nom;Prénom;Métier;Compétences;Années d'expérience;Taux horaire (€);Disponible\n" +
				"Talden;Mira;Développeuse;Go, SQL;10 ans;40;oui\nVask;Oren;Illustrateur;Figma;3 ans;30,50;non\n"},
			args: "load" + rates + "personnes.csv",
			want: loads(2, "Mira Talden: job_title=Développeuse; skills=Go|SQL; experience=10; hourly_rate=44; availability=yes",
				"Oren Vask: hourly_rate=33.55; availability=no"),
		},
		{
			name: "German",
			files: files{"leute.csv", "Vorname;Nachname;Beruf;Kenntnisse;Berufserfahrung;Stundensatz;Verfügbar;Bewertung\n" +
				"Mira;Talden;Entwicklerin;Go, SQL;10 Jahre;25 EUR/Std.;ja;4,5\n" +
				"Oren;Vask;Illustrator;Figma;3 Jahre;30 EUR/Std.;nein;4,0\n"},
			args: "load" + rates + "leute.csv",
			want: loads(2, "Mira Talden: job_title=Entwicklerin; skills=Go|SQL; experience=10; hourly_rate=27.5; "+
				"availability=yes; rating=4.5", "Oren Vask: hourly_rate=33; availability=no"),
		},
		{
			name: "Italian",
			files: files{"persone.csv", "Nome;Cognome;Professione;" +
				"Competenze;Anni di esperienza;Tariffa oraria;Disponibile\n" + //nolint:misspell // Italian
				"Mira;Talden;Sviluppatrice;Go, SQL;10 anni;€ 40;sì\nOren;Vask;Illustratore;Figma;3 anni;€ 30;no\n"},
			args: "load" + rates + "persone.csv",
			want: loads(2,
				"Mira Talden: job_title=Sviluppatrice; skills=Go|SQL; experience=10; hourly_rate=44; availability=yes",
				"Oren Vask: availability=no"),
		},
		{
			name: "Dutch",
			files: files{"mensen.csv", "Naam;Functie;Vaardigheden;Jaren ervaring;Uurtarief;Beschikbaar;Beoordeling\n" +
				"Mira Talden;Ontwikkelaar;Go, SQL;10 jaar;€ 40 per uur;ja;4,5\n" +
				"Oren Vask;Illustrator;Figma;3 jaar;€ 30 per uur;nee;4,0\n"},
			args: "load" + rates + "mensen.csv",
			want: loads(2, "Mira Talden: job_title=Ontwikkelaar; skills=Go|SQL; experience=10; hourly_rate=44; "+
				"availability=yes; rating=4.5", "Oren Vask: availability=no"),
		},
		{
			name: "Polish",
			files: files{
				"osoby.csv",
				"Imię;Nazwisko;Stanowisko;Umiejętności;Lata doświadczenia;Stawka godzinowa;Dostępny;Ocena\n" +
					"Mira;Talden;Programistka;Go, SQL;10 lat;100 zł/h;tak;4,5\n" +
					"Oren;Vask;Ilustrator;Figma;3 lata;80 zł/godz.;nie;4,0\n",
			},
			args: "load" + rates + "osoby.csv",
			want: loads(2, "Mira Talden: job_title=Programistka; skills=Go|SQL; experience=10; hourly_rate=25; "+
				"availability=yes; rating=4.5", "Oren Vask: experience=3; hourly_rate=20; availability=no"),
		},
		{
			name: "English headers over German values",
			files: files{"people.csv", "Name,Skills,Experience,Available,Hourly rate\n" +
				"Mira Talden,\"Go, SQL\",10 Jahre Berufserfahrung,sofort verfügbar,40\n" +
				"Oren Vask,SEO,seit 3 Jahren,nicht verfügbar,30\n"},
			want: loads(2, "Mira Talden: experience=10; availability=yes", "Oren Vask: experience=3; availability=no"),
		},
		{
			name: "availability in words",
			files: files{"people.csv", "name,skills,availability\nMira Talden,Go,disponible\nOren Vask,SEO,no disponible\n" +
				"Talia Reth,Figma,disponível\nBruno Sari,SEO,non disponibile\nSenna Lund,SEO,dostępna\n"},
			want: loads(5, "Mira Talden: availability=yes", "Oren Vask: availability=no", "Talia Reth: availability=yes",
				"Bruno Sari: availability=no", "Senna Lund: availability=yes"),
		},
	}
}

// valueCases returns cases about single cells.
func valueCases() []corpusCase {
	return []corpusCase{
		{
			name: "PostgreSQL arrays",
			files: files{"people.csv", "name,skills\nMira Talden,\"{Python,Go}\"\n" +
				"Oren Vask,\"{\"\"Adobe Illustrator\"\",Figma,\"\"3D, modeling\"\"}\"\n"},
			want: loads(2, "Mira Talden: skills=Python|Go", "Oren Vask: skills=Adobe Illustrator|Figma|3D, modeling"),
		},
		{
			name: "skills with years",
			files: files{"people.csv", "name,skills\nMira Talden,\"Python (5 years), Go (2 yrs), SQL - 3 years\"\n" +
				"Oren Vask,\"Figma (1 año)\"\n"},
			want: loads(2, "Mira Talden: skills=Python|Go|SQL", "Oren Vask: skills=Figma"),
		},
		{
			name: "skills with levels",
			files: files{"people.csv", "name,skills\nMira Talden,\"Python (expert), Go (beginner)\"\n" +
				"Oren Vask,\"Figma: advanced; CSS: basic\"\n"},
			want: loads(2, "Mira Talden: skills=Python|Go", "Oren Vask: skills=Figma|CSS"),
		},
		{
			name:  "brackets that belong to the name of a skill",
			files: files{"people.csv", "name,skills\nMira Talden,\"Amazon Web Services (AWS), C (ANSI)\"\nOren Vask,SEO\n"},
			want: loads(2, "Mira Talden: skills=Amazon Web Services (AWS)|C (ANSI)").
				or(loads(2, "Mira Talden: skills=Amazon Web Services|C (ANSI)")),
		},
		{
			name: "JSON and Python lists in cells",
			files: files{"people.csv", "name,skills\nMira Talden,\"[\"\"Python\"\",\"\"Go\"\"]\"\n" +
				"Oren Vask,\"['SEO', 'Women\\'s fashion']\"\n"},
			want: loads(2, "Mira Talden: skills=Python|Go", "Oren Vask: skills=SEO|Women's fashion"),
		},
		{
			name: "experience as a range, a minimum and a start",
			files: files{"people.csv", "name,skills,experience\nMira Talden,Go,3-5 years\nOren Vask,SEO,5+ years\n" +
				"Talia Reth,SEO,18 months\nBruno Sari,SEO,< 1 year\n"},
			want: loads(4, "Oren Vask: experience=5", "Talia Reth: experience=1.5", "Mira Talden: experience!=35",
				"Bruno Sari: experience!=1"),
		},
		{
			name:  "experience of 200 years",
			files: files{"people.csv", "name,skills,experience\nMira Talden,Go,200\nOren Vask,SEO,7\n"},
			want:  loads(2, "Mira Talden: experience=unknown", "Oren Vask: experience=7").saying("200"),
		},
		{
			name: "placeholders instead of nothing",
			files: files{
				"people.csv",
				"name,title,skills,hourly_rate,bio\nMira Talden,N/A,Go,n/a,null\nOren Vask,-,SEO,NaN,None\n" +
					"Talia Reth,#N/A,Figma,TBD,undefined\n",
			},
			want: loads(3, "Mira Talden: job_title=unknown; hourly_rate=unknown; description=unknown",
				"Oren Vask: job_title=unknown; hourly_rate=unknown; description=unknown",
				"Talia Reth: job_title=unknown; hourly_rate=unknown; description=unknown"),
		},
		{
			name:  "rating with the number of reviews",
			files: files{"people.csv", "name,skills,rating\nMira Talden,Go,4.9 (120 reviews)\nOren Vask,SEO,4.5 (3)\n"},
			want:  loads(2, "Mira Talden: rating=4.9", "Oren Vask: rating=4.5"),
		},
	}
}
