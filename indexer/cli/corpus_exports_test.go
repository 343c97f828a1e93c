package cli

// exportCases returns exports as sites, databases and forms write them, tried by somebody who had not worked on the
// loader. TestCorpus failed on all of them at first, except for the namesakes.
func exportCases() []corpusCase {
	return []corpusCase{
		{
			name: "mongoexport",
			files: files{"people.json", `{"_id":{"$oid":"64a1f0c2"},"fullName":"Ansel Wirth","headline":"Go engineer",` +
				`"rate":{"amount":{"$numberDecimal":"72.50"},"currency":"USD"},"rating":{"$numberDouble":"4.5"},` +
				`"jobsDone":{"$numberInt":"41"},"createdAt":{"$date":{"$numberLong":"1640995200000"}}}` + "\n" +
				`{"_id":{"$oid":"64a1f0c3"},"fullName":"Bea Korol","headline":"Animator","rating":null}` + "\n"},
			want: loads(2, "Ansel Wirth: id=64a1f0c2; hourly_rate=72.5; rating=4.5; total_sales=41", "Bea Korol: id=64a1f0c3"),
		},
		{
			name: "a dump of Elasticsearch",
			files: files{"people.ndjson", `{"_index":"x","_id":"e1","_score":1,"_source":{"name":"Caspar Elm",` +
				`"title":"PHP developer","skills":[{"name":"PHP"}],"hourly_rate":42}}` + "\n" +
				`{"_index":"x","_id":"e2","_score":1,"_source":{"name":"Dunja Fels","title":"Editor","hourly_rate":33}}` + "\n"},
			want: loads(2, "Caspar Elm: id=e1; skills=PHP; hourly_rate=42; rating=unknown", "Dunja Fels: id=e2"),
		},
		{
			name: "a response of Elasticsearch",
			files: files{"people.json", `{"took":3,"hits":{"total":{"value":2},"hits":[{"_id":"x1","_source":{"fullname":` +
				`"Edda Fink","jobTitle":"Cook"}},{"_id":"x2","_source":{"fullname":"Falko Ginz","jobTitle":"Carpenter"}}]}}`},
			want: loads(2, "Edda Fink: id=x1; job_title=Cook", "Falko Ginz: id=x2"),
		},
		{
			name: "skills in objects of objects",
			files: files{"people.json", `{"data":{"edges":[{"node":{"name":"Gitta Horn","role":"Scala developer","skills":` +
				`[{"skill":{"name":"Scala"}},{"skill":{"name":"Akka"}}]}},{"node":{"name":"Hanno Irl","role":"Potter",` +
				`"skills":[{"uuid":"7"}]}}]}}`},
			want: loads(2, "Gitta Horn: skills=Scala|Akka", "Hanno Irl: skills=unknown").
				or(loads(2, "Gitta Horn: skills=Scala|Akka", "Hanno Irl: skills=")),
		},
		{
			name:  "lists by column",
			files: files{"people.json", `{"name":{"0":"Olga Prist","1":"Pawel Quint"},"skills":{"0":"Go","1":"SQL"}}`},
			want:  refuses("lists of values by column", "records"),
		},
		{
			name:  "lists as rows",
			files: files{"people.json", `[["name","skills"],["Tilo Ulster","Go"],["Ute Vogt","SQL"]]`},
			want:  refuses("each freelancer must be an object"),
		},
		{
			name:  "a web page",
			files: files{"people.xls", "<html><body><table><tr><td>name</td></tr><tr><td>Anna Bo</td></tr></table></html>\n"},
			want:  refuses("a web page", ".xlsx"),
		},
		{
			name:  "an SQL dump",
			files: files{"people.sql", "-- MySQL dump 10.13\n\nINSERT INTO people VALUES (1,'Anna Bo','Go',40);\n"},
			want:  refuses("an SQL dump", "CSV"),
		},
		{
			name: "rates with their unit in the header",
			files: files{"people.csv", "Name,Primary role,Cost rate,Bill rate/hr\nNico Orsini,Platform engineer,45,95\n" +
				"Orla Pratt,Data analyst,30,70\n"},
			want: loads(2, "Nico Orsini: hourly_rate=95", "Orla Pratt: hourly_rate=70"),
		},
		{
			name:  "a rate with its currency between the words of the header",
			files: files{"people.csv", "name,job_role,rate_gbp_per_hr\nKit Lomax,Web scraper,25\nLark Munro,Designer,40\n"},
			args:  "load -rate GBP=1.25 people.csv",
			want:  loads(2, "Kit Lomax: hourly_rate=31.25", "Lark Munro: hourly_rate=50"),
		},
		{
			name: "a rate in rupees, which are the primary currency",
			files: files{"people.ndjson", `{"public_name":"Kora Ulm","tagline":"Typist","hourly_rate":900,` +
				`"primary_currency":{"code":"INR"}}` + "\n" + `{"public_name":"Leni Marsh","tagline":"Singer",` +
				`"hourly_rate":45,"primary_currency":{"code":"USD"}}` + "\n"},
			want: loads(2, "Kora Ulm: hourly_rate=unknown", "Leni Marsh: hourly_rate=45").saying("INR"),
		},
		{
			name: "counts with dots for thousands",
			files: files{"people.csv", "Nombre;Profesión;Valor por hora;Proyectos finalizados\n" +
				"Ximena Orduz;Editora;15,50;120\nÍñigo Larreta;Programador;22,00;45\nNahuel Pincén;Traductor;9,00;1.230\n"},
			want: loads(3, "Ximena Orduz: total_sales=120", "Nahuel Pincén: total_sales=1230; hourly_rate=9"),
		},
		{
			name: "skills of WordPress",
			files: files{"users.csv", "ID,display_name,wpcf-skills,wpcf-rate-per-hour\n" +
				`41,Fritz Zander,"a:2:{i:0;s:3:""PHP"";i:1;s:5:""MySQL"";}",50` + "\n"},
			want: loads(1, "Fritz Zander: id=41; skills=PHP|MySQL; hourly_rate=50"),
		},
		{
			name: "namesakes in a city",
			files: files{"people.csv", "Name,City,Job,Rate,Mobile\nAnna Schmidt,Berlin,Designer,50,0151 5550101\n" +
				"Anna Schmidt,Berlin,Lawyer,180,0151 5550102\nAnna Schmidt,Bonn,Designer,50,0151 5550103\n" +
				"Anna Schmidt,Berlin,Designer,50,0151 5550101\n"},
			want: loads(3),
		},
	}
}
