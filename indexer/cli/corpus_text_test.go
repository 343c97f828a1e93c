package cli

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// textCases returns cases about delimited text that is not plain CSV.
func textCases() []corpusCase {
	const plain = "name,skills,hourly_rate\nMira Muñoz,\"Go, SQL\",40\nOren Vask,SEO,30\n"
	both := loads(2, "Mira Muñoz: skills=Go|SQL; hourly_rate=40", "Oren Vask: skills=SEO; hourly_rate=30")
	latin1, _ := charmap.Windows1252.NewEncoder().String(plain)

	return []corpusCase{
		{
			name: "lines above the header", files: files{"people.csv", "Export of 2026-11-01\nConfidential\n\n" + plain},
			args: "load -skip-lines 3 people.csv", want: both,
		},
		{
			name:  "lines above the header, without a flag",
			files: files{"people.csv", "Export of 2026-11-01\nConfidential\n\n" + plain},
			want:  refuses("-skip-lines").or(both),
		},
		{
			name: "no header", files: files{"people.csv", strings.TrimPrefix(plain, "name,skills,hourly_rate\n")},
			args: "load -no-header -map \"name=column 1\" -map \"skills=column 2\" -map \"hourly_rate=column 3\" people.csv",
			want: both,
		},
		{
			name:  "no header, without a flag",
			files: files{"people.csv", strings.TrimPrefix(plain, "name,skills,hourly_rate\n")},
			want:  refuses("-no-header"),
		},
		{name: "comments", files: files{"people.csv", "# exported by hand\n# 2 people\nname,skills,hourly_rate\n" +
			"Mira Muñoz,\"Go, SQL\",40\n# the rest is new\nOren Vask,SEO,30\n"}, want: both},
		{
			name:  "sep=;",
			files: files{"people.csv", "sep=;\nname;skills;hourly_rate\nMira Muñoz;Go, SQL;40\nOren Vask;SEO;30\n"},
			want:  both,
		},
		{
			name:  "sep=| with Windows line ends",
			files: files{"people.csv", "sep=|\r\nname|skills|hourly_rate\r\nMira Muñoz|Go, SQL|40\r\nOren Vask|SEO|30\r\n"},
			want:  both,
		},
		{
			name:  "tabs",
			files: files{"people.tsv", "name\tskills\thourly_rate\nMira Muñoz\tGo, SQL\t40\nOren Vask\tSEO\t30\n"},
			want:  both,
		},
		{
			name:  "bars",
			files: files{"people.txt", "name|skills|hourly_rate\nMira Muñoz|Go, SQL|40\nOren Vask|SEO|30\n"},
			want:  both,
		},
		{name: "a UTF-8 byte order mark", files: files{"people.csv", "\ufeff" + plain}, want: both},
		{name: "UTF-16 little-endian", files: files{"people.csv", utf16Text(plain, true, true)}, want: both},
		{name: "UTF-16 big-endian", files: files{"people.csv", utf16Text(plain, false, true)}, want: both},
		{
			name: "UTF-16 without a byte order mark", files: files{"people.csv", utf16Text(plain, true, false)},
			want: both.or(refuses("UTF-16")),
		},
		{name: "Windows-1252", files: files{"people.csv", latin1}, want: both},
		{
			name:  "one Latin-1 name in a UTF-8 file",
			files: files{"people.csv", "name,skills\nZoë Lund,Go\nMira Mu\xf1oz,SQL\nJosé Pour,SEO\n"},
			want: loads(3, "Zoë Lund: skills=Go", "Mira Muñoz: skills=SQL", "José Pour: skills=SEO").saying("UTF-8", ":3").
				or(loads(3, "Zoë Lund: skills=Go", "Mira Mu\ufffdoz: skills=SQL", "José Pour: skills=SEO").saying("UTF-8", ":3")),
		},
		{name: "Macintosh line ends", files: files{"people.csv", strings.ReplaceAll(plain, "\n", "\r")}, want: both},
		{
			name:  "line breaks in cells",
			files: files{"people.csv", "name,skills,bio\nMira Muñoz,\"Go,\nSQL\",\"One.\n\nTwo.\"\nOren Vask,SEO,Three.\n"},
			want:  loads(2, "Mira Muñoz: skills=Go|SQL", "Oren Vask: skills=SEO; description=Three."),
		},
		{
			name: "empty lines between rows", files: files{"people.csv", strings.ReplaceAll(plain, "\n", "\n\n\n")},
			want: both,
		},
		{
			name: "spaces around everything",
			files: files{
				"people.csv",
				" name , skills , hourly_rate \n Mira Muñoz , \"Go, SQL\" , 40 \n Oren Vask , SEO , 30 \n",
			},
			want: both,
		},
		{
			name: "a picture", files: files{"people.csv", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00"},
			want: refuses("people.csv"),
		},
		{name: "standard input", stdin: plain, args: "load -", want: both},
		{name: "a folder", args: "load /", want: refuses("/")},
		{name: "a file that isn't there", args: "load nowhere.csv", want: refuses("nowhere.csv")},
		{
			name: "one of two files isn't there", files: files{"people.csv", plain}, args: "load people.csv nowhere.csv",
			want: refuses("nowhere.csv"),
		},
	}
}

// utf16Text encodes text as UTF-16.
func utf16Text(text string, little, mark bool) string {
	var b strings.Builder
	if mark {
		text = "\ufeff" + text
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		high := byte(unit >> 8)
		low := byte(unit)
		if little {
			high, low = low, high
		}
		b.WriteByte(high)
		b.WriteByte(low)
	}
	return b.String()
}

// damageCases returns cases about files that programs or people have damaged.
func damageCases() []corpusCase {
	shifted := inventedCSV(60, func(i int, cells []string) {
		if i == 20 || i == 40 {
			copy(cells[2:], append([]string{"Inc."}, cells[2:5]...)) // a comma in the name
		}
	})

	return []corpusCase{
		{
			name:  "rows shifted by one cell",
			files: files{"people.csv", shifted},
			want: loads(60, invented(20)[19][0]+": hourly_rate=39").saying(":22", ":42").
				or(loads(58, invented(20)[19][0]+": hourly_rate=39").saying(":22", ":42")),
		},
		{
			name: "a quote that is never closed",
			files: files{"people.csv", inventedCSV(30, func(i int, cells []string) {
				if i == 3 {
					cells[2] = `"` + cells[2]
				}
			})},
			want: loads(30).saying(":5").or(loads(29).saying(":5")).or(refuses("quote", "5")),
		},
		{
			name: "a quote inside a cell",
			files: files{"people.csv", "name,title,skills\nMira Talden,27\" screens expert,Go\n" +
				"Oren Vask,The \"best\" illustrator,SEO\nTalia Reth,Translator,Figma\n"},
			want: loads(3, "Mira Talden: job_title=27\" screens expert", "Oren Vask: job_title=The \"best\" illustrator",
				"Talia Reth: skills=Figma"),
		},
		{
			name: "quotes escaped with backslashes",
			files: files{
				"people.csv",
				"name,title,skills\nMira Talden,\"The \\\"Go\\\" developer\",Go\nOren Vask,Illustrator,SEO\n",
			},
			want: loads(2, "Mira Talden: job_title=The \"Go\" developer; skills=Go", "Oren Vask: skills=SEO"),
		},
		{
			name: "the header repeated among the rows",
			files: files{
				"people.csv",
				"name,job_title,skills\nMira Talden,Nurse,Care\nname,job_title,skills\nOren Vask,Welder,MIG\n",
			},
			want: loads(2, "Mira Talden: skills=Care", "Oren Vask: skills=MIG").without("name").saying(":3"),
		},
		{
			name: "two exports in one file",
			files: files{"people.csv", inventedCSV(20) + "id,name,job_title,skills,hourly_rate,rating\n" +
				"x1,Orla Vex,Nurse,Care,20,4\n"},
			want: loads(21, "Orla Vex: job_title=Nurse").without("name"),
		},
		{
			name: "a total at the end",
			files: files{"people.csv", "name,skills,hourly_rate,jobs completed\nMira Talden,Go,40,100\nOren Vask,SEO,30,150\n" +
				"Total: 250,,,\n"},
			want: loads(2).without("Total: 250").saying(":4"),
		},
		{
			name: "a total with sums at the end",
			files: files{"people.csv", "name,skills,hourly_rate,jobs completed\nMira Talden,Go,40,100\nOren Vask,SEO,30,150\n" +
				"Total,,70,250\n"},
			want: loads(2).without("Total").saying(":4"),
		},
		{
			name: "a footer after an empty line",
			files: files{"people.csv", "name,skills,hourly_rate\nMira Talden,Go,40\nOren Vask,SEO,30\n\n" +
				"Generated by TalentExport 3.1 on 2026-11-01,,\n"},
			want: loads(2).without("Generated by TalentExport 3.1 on 2026-11-01").or(loads(3).saying(":5")),
		},
		{
			name:  "two columns with the same header",
			files: files{"people.csv", "name,skills,skills\nMira Talden,Go,SQL\nOren Vask,SEO,Figma\n"},
			want:  loads(2, "Mira Talden: skills=Go|SQL", "Oren Vask: skills=SEO|Figma").or(loads(2).saying("duplicate")),
		},
		{
			name:  "two different columns called rate",
			files: files{"people.csv", "name,skills,rate,rate\nMira Talden,Go,40,\nOren Vask,SEO,,30\n"},
			want: loads(2, "Mira Talden: hourly_rate=40", "Oren Vask: hourly_rate=30").
				or(loads(2, "Mira Talden: hourly_rate=40").
					saying("duplicate")),
		},
		{
			name:  "separators at the end of lines",
			files: files{"people.csv", "name,skills,hourly_rate,,,\nMira Talden,Go,40,,,\nOren Vask,SEO,30,,,\n"},
			want:  loads(2, "Mira Talden: hourly_rate=40", "Oren Vask: hourly_rate=30"),
		},
		{
			name:  "separators at the end of the rows only",
			files: files{"people.csv", "name,skills,hourly_rate\nMira Talden,Go,40,\nOren Vask,SEO,30,\n"},
			want:  loads(2, "Mira Talden: hourly_rate=40", "Oren Vask: hourly_rate=30"),
		},
		{
			name:  "rows without their last cells",
			files: files{"people.csv", "name,skills,hourly_rate,bio\nMira Talden,Go,40,Text\nOren Vask,SEO\n"},
			want:  loads(2, "Oren Vask: skills=SEO; hourly_rate=unknown"),
		},
		{
			name:  "empty columns",
			files: files{"people.csv", "name,,skills,  ,hourly_rate\nMira Talden,,Go,,40\nOren Vask,,SEO,,30\n"},
			want:  loads(2, "Mira Talden: skills=Go; hourly_rate=40"),
		},
		{
			name: "tabs in cells",
			files: files{"people.csv", "name,title,skills,hourly_rate\nMira\tTalden,\tGo developer,\"Go,\tSQL\",\t40\n" +
				"Oren Vask,Editor,SEO,30\n"},
			want: loads(2, "Mira Talden: job_title=Go developer; skills=Go|SQL; hourly_rate=40"),
		},
		{
			name: "ids that a spreadsheet rounded",
			files: files{"people.csv", "id,name,skills,location\n1.23E+18,Mira Talden,Go,Oslo\n" +
				"1.23E+18,Oren Vask,SEO,Lima\n1.24E+18,Talia Reth,Figma,Rome\n"},
			want: refuses("1.23E+18").or(loads(3, "Mira Talden: skills=Go", "Oren Vask: skills=SEO")),
		},
		{
			name:  "ids with leading zeros",
			files: files{"people.csv", "id,name,skills\n00123,Mira Talden,Go\n123,Oren Vask,SEO\n"},
			want:  loads(2, "Mira Talden: id=00123", "Oren Vask: id=123"),
		},
		{
			name:  "skills that a spreadsheet took for dates",
			files: files{"people.csv", "name,skills,rating,experience\nMira Talden,Go,05-Apr,02-Mar\nOren Vask,SEO,4.5,3\n"},
			want: loads(2, "Mira Talden: rating=unknown; experience=unknown", "Oren Vask: rating=4.5; experience=3").
				saying("05-Apr"),
		},
		{
			name:  "text damaged by two conversions",
			files: files{"people.csv", "name,title,skills\nMira MuÃ±oz,DiseÃ±adora,Figma\nOren Vask,Editor,SEO\n"},
			want:  loads(2, "Mira MuÃ±oz: skills=Figma").saying("MuÃ±oz").or(loads(2, "Mira Muñoz: job_title=Diseñadora")),
		},
		{
			name: "a line of dashes under the header",
			files: files{
				"people.csv",
				"name,skills,hourly_rate\n----,------,-----------\nMira Talden,Go,40\nOren Vask,SEO,30\n",
			},
			want: loads(2, "Mira Talden: hourly_rate=40").without("----"),
		},
		{
			name: "a row cut off at the end", files: files{"people.csv", inventedCSV(40) + `p99,Orla Vex,Nur`},
			want: loads(41, "Orla Vex: job_title=Nur"),
		},
	}
}

// numberCases returns cases about how people write numbers.
func numberCases() []corpusCase {
	rates := func(cells ...string) string {
		var b strings.Builder
		b.WriteString("name;skills;hourly_rate\n")
		for i, p := range invented(len(cells)) {
			b.WriteString(p[0] + ";Go " + string(rune('A'+i)) + ";" + cells[i] + "\n")
		}
		return b.String()
	}

	name := func(i int) string { return invented(i + 1)[i][0] }
	return []corpusCase{
		{
			name: "thousands separators", files: files{"people.csv", rates("1,200", "$1,050.50", "90")},
			want: loads(3, name(0)+": hourly_rate=1200", name(1)+": hourly_rate=1050.5", name(2)+": hourly_rate=90"),
		},
		{
			name:  "decimal commas and points in one column",
			files: files{"people.csv", rates("45,50", "45.50", "1.234,50", "1,234.50")},
			want: loads(4, name(0)+": hourly_rate=45.5", name(1)+": hourly_rate=45.5", name(2)+": hourly_rate=1234.5",
				name(3)+": hourly_rate=1234.5"),
		},
		{
			name: "Swiss apostrophes and French spaces", files: files{"people.csv", rates("1'200", "1 200", "1\u00a0250,50")},
			want: loads(3, name(0)+": hourly_rate=1200", name(1)+": hourly_rate=1200", name(2)+": hourly_rate=1250.5"),
		},
		{
			name: "exponents", files: files{"people.csv", rates("4.5E1", "1e2", "3.3e+01")},
			want: loads(3, name(0)+": hourly_rate=45", name(1)+": hourly_rate=100", name(2)+": hourly_rate=33"),
		},
		{
			name: "negative rates", files: files{"people.csv", rates("-40", "(40)", "30")},
			want: loads(3, name(0)+": hourly_rate=unknown", name(1)+": hourly_rate!=-40", name(2)+": hourly_rate=30").
				saying(":2", "-40"),
		},
		{
			name: "rates of nothing", files: files{"people.csv", rates("0", "$0.00", "30")},
			want: loads(3, name(0)+": hourly_rate=unknown", name(1)+": hourly_rate=unknown", name(2)+": hourly_rate=30"),
		},
		{
			name: "infinite and absurd rates", files: files{"people.csv", rates("Infinity", "1e308", "30")},
			want: loads(3, name(0)+": hourly_rate=unknown", name(1)+": hourly_rate=unknown", name(2)+": hourly_rate=30"),
		},
		{
			name:  "ratings of 0 are no ratings",
			files: files{"people.csv", "name,skills,rating\nMira Talden,Go,0\nOren Vask,SEO,0.0\nTalia Reth,Figma,4.5\n"},
			want:  loads(3, "Mira Talden: rating=unknown", "Oren Vask: rating=unknown", "Talia Reth: rating=4.5"),
		},
		{
			name: "dates among ratings",
			files: files{
				"people.csv",
				"name,skills,rating\nMira Talden,Go,4/5/2024\nOren Vask,SEO,2024-05-04\nTalia Reth,Figma,4.5\n" +
					"Bruno Sari,SEO,4.0\nSenna Lund,SEO,5.0\n",
			},
			want: loads(5, "Mira Talden: rating=unknown", "Oren Vask: rating=unknown", "Talia Reth: rating=4.5").
				saying(":2", ":3"),
		},
		{
			name: "one rating far above the scale",
			files: files{"people.csv", "name,skills,rating\nMira Talden,Go,4.5\nOren Vask,SEO,4.9\nTalia Reth,Figma,3.8\n" +
				"Bruno Sari,SEO,47\nSenna Lund,SEO,4.1\n"},
			want: loads(5, "Mira Talden: rating=4.5", "Bruno Sari: rating=unknown", "Senna Lund: rating=4.1").
				saying(":5", "47"),
		},
		{
			name: "numbers as words of a count",
			files: files{"people.csv", "name,skills,jobs completed\nMira Talden,Go,\"1,204 jobs\"\nOren Vask,SEO,2.5k\n" +
				"Talia Reth,Figma,100+\n"},
			want: loads(3, "Mira Talden: total_sales=1204", "Oren Vask: total_sales=2500", "Talia Reth: total_sales=100"),
		},
		{
			name: "full-width digits", files: files{"people.csv", rates("４５", "$３０", "20")},
			want: loads(3, name(0)+": hourly_rate=45", name(1)+": hourly_rate=30"),
		},
	}
}

// scriptCases returns cases about names in other scripts, markup, and what text may hide.
func scriptCases() []corpusCase {
	long := strings.Repeat("I translate contracts and manuals. ", 60_000) // 2 MB
	return []corpusCase{
		{
			name: "names in other scripts",
			files: files{
				"people.csv",
				"name,title,skills\n王小明,翻訳者,Translation\nمريم السالم,مترجمة,SEO\nЗоя Лунд,Редактор,Editing\n" +
					"नीला राव,लेखक,Writing\n",
			},
			want: loads(4, "王小明: job_title=翻訳者", "مريم السالم: skills=SEO", "Зоя Лунд: job_title=Редактор",
				"नीला राव: skills=Writing"),
		},
		{
			name: "emoji",
			files: files{"people.csv", "name,title,skills\nMira 🦊 Talden,🚀 Go developer 🚀,\"Go 🐹, SQL\"\n👩‍💻,Developer,Go\n" +
				"Oren Vask,Editor,SEO\n"},
			want: loads(3, "Oren Vask: skills=SEO", "Mira 🦊 Talden: job_title!=unknown"),
		},
		{
			name:  "direction marks in a name",
			files: files{"people.csv", "name,title,skills\n\u202bמירה טל\u202c,Editor,SEO\nOren\u200b Vask,Editor,Go\n"},
			want:  loads(2, "מירה טל: skills=SEO", "Oren Vask: skills=Go"),
		},
		{
			name:  "one name, composed and decomposed",
			files: files{"people.csv", "name,location,skills\nJose\u0301 Pour,Lima,Go\nJos\u00e9 Pour,Lima,SQL\n"},
			want:  loads(1, "José Pour: skills=Go|SQL"),
		},
		{
			name: "markup in cells", files: files{"people.csv", "name,title,skills,bio\n" +
				"<b>Mira Talden</b>,Go &amp; SQL developer,\"Go, SQL\",\"<p>I build <b>APIs</b>.</p><script>alert(1)</script>\"\n" +
				"Oren Vask,Editor,SEO,5 < 6 and 7 > 3\n"},
			want: loads(2, "Mira Talden: job_title=Go & SQL developer; description=I build APIs.",
				"Oren Vask: description=5 < 6 and 7 > 3"),
		},
		{
			name: "formulas",
			files: files{
				"people.csv",
				"name,title,skills\n\"=HYPERLINK(\"\"https://bad.example\"\",\"\"Mira\"\")\",Go developer,Go\n" +
					"Oren Vask,@SUM(1+1),SEO\n",
			},
			want: loads(2, "Oren Vask: job_title=@SUM(1+1)"),
		},
		{
			name:  "a cell of 2 MB",
			files: files{"people.csv", "name,skills,bio\nMira Talden,Go,\"" + long + "\"\nOren Vask,SEO,Short.\n"},
			want:  loads(2, "Mira Talden: skills=Go", "Oren Vask: description=Short.").saying(":2"),
		},
		{
			name:  "a name of 50,000 letters",
			files: files{"people.csv", "name,skills\n" + strings.Repeat("Mira ", 10_000) + ",Go\nOren Vask,SEO\n"},
			want:  loads(2, "Oren Vask: skills=SEO").saying(":2").or(loads(1, "Oren Vask: skills=SEO").saying(":2")),
		},
		{
			name:  "3,000 skills",
			files: files{"people.csv", "name,skills\nMira Talden,\"" + strings.Repeat("Go,", 2999) + "SQL\"\nOren Vask,SEO\n"},
			want:  loads(2, "Mira Talden: skills=Go|SQL", "Oren Vask: skills=SEO"),
		},
		{
			name: "names that start with a number sign",
			files: files{"people.csv", "title,name,skills\n#1 Logo designer,Mira Talden,Figma\nEditor,Oren Vask,SEO\n" +
				"#ReactJS expert,Talia Reth,React\n"},
			want: loads(3, "Mira Talden: job_title=#1 Logo designer", "Talia Reth: job_title=#ReactJS expert"),
		},
		{
			name:  "header names in capitals with odd spaces",
			files: files{"people.csv", "FULL\u00a0NAME,KEY  SKILLS,HOURLY\u200b RATE\nMira Talden,Go,40\nOren Vask,SEO,30\n"},
			want:  loads(2, "Mira Talden: skills=Go; hourly_rate=40"),
		},
		{
			name: "NUL bytes", files: files{"people.csv", "name,skills\nMira\x00 Talden,Go\nOren Vask,SEO\n"},
			want: loads(2, "Oren Vask: skills=SEO").
				saying(":2").
				or(loads(1, "Oren Vask: skills=SEO").
					saying(":2")).
				or(refuses("NUL")),
		},
	}
}
