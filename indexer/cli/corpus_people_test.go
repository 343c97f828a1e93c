package cli

import (
	"fmt"
	"strings"
)

// identityCases returns cases about who is one person and who isn't.
func identityCases() []corpusCase {
	const site1 = "id,name,job_title,skills,hourly_rate\n1,Mira Talden,Go developer,Go,40\n" +
		"2,Oren Vask,Illustrator,Figma,30\n"
	const site2 = "id,name,job_title,skills,hourly_rate\n1,Talia Reth,Translator,Translation,25\n" +
		"2,Bruno Sari,Editor,SEO,20\n"

	return []corpusCase{
		{
			name:  "two sources number their people 1 to n",
			files: files{"a.csv", site1, "b.csv", site2},
			want: refuses("a.csv", "b.csv", "prefix").or(
				loads(4, "Mira Talden: job_title=Go developer", "Talia Reth: job_title=Translator")),
		},
		{
			name:  "a prefix for each source keeps id spaces apart",
			files: files{"a.csv", site1, "b.csv", site2},
			args:  "load -id-prefix a.csv=a -id-prefix b.csv=b a.csv b.csv",
			want: loads(4, "Mira Talden: skills=Go; hourly_rate=40", "Talia Reth: hourly_rate=25",
				"Oren Vask: skills=Figma", "Bruno Sari: skills=SEO"),
		},
		{
			name: "a key of two columns",
			files: files{"people.csv", "site,handle,name,skills,hourly_rate\n" +
				"north,ace,Mira Talden,Go,40\nsouth,ace,Talia Reth,SEO,25\nnorth,ace,Mira Talden,Figma,40\n"},
			args: "load -id site,handle people.csv",
			want: loads(2, "Mira Talden: skills=Go|Figma", "Talia Reth: skills=SEO"),
		},
		{
			name:  "rows without any identity",
			files: files{"people.csv", "name,skills\nMira,Go\nMira,Go\nMira,Go\nOren,SEO\n"},
			args:  "load -id row people.csv",
			want:  loads(4, "Mira: skills=Go", "Mira: skills=Go", "Mira: skills=Go"),
		},
		{
			name:  "one name, two rates",
			files: files{"people.csv", "name,skills,hourly_rate\nMira Talden,Go,40\nMira Talden,Figma,95\n"},
			want:  loads(2, "Mira Talden: skills=Go; hourly_rate=40", "Mira Talden: skills=Figma; hourly_rate=95"),
		},
		{
			name:  "one name, two cities",
			files: files{"people.csv", "name,location,skills\nMira Talden,Oslo,Go\nMira Talden,Lima,Figma\n"},
			want:  loads(2, "Mira Talden: skills=Go", "Mira Talden: skills=Figma"),
		},
		{
			name:  "one name and city, two titles",
			files: files{"people.csv", "name,location,title,skills\nMira Talden,Oslo,Nurse,Care\nMira Talden,Oslo,Welder,MIG\n"},
			want:  loads(2, "Mira Talden: job_title=Nurse", "Mira Talden: job_title=Welder"),
		},
		{
			name:  "one name and city, two ratings",
			files: files{"people.csv", "name,location,skills,rating\nMira Talden,Oslo,Go,4.9\nMira Talden,Oslo,Go,2.1\n"},
			want:  loads(2, "Mira Talden: rating=4.9", "Mira Talden: rating=2.1"),
		},
		{
			name:  "nothing but a name in common",
			files: files{"people.csv", "name,skills\nMira Talden,Go\nMira Talden,Watercolor\nOren Vask,SEO\n"},
			want:  loads(3, "Mira Talden: skills=Go", "Mira Talden: skills=Watercolor"),
		},
		{
			name: "one row for each skill of a person",
			files: files{"people.csv", "name,location,rate,skill\nMira Talden,Oslo,$40,go\nMira Talden,Oslo,$40,docker\n" +
				"Oren Vask,Lima,$30,seo\n"},
			want: loads(2, "Mira Talden: skills=go|docker; hourly_rate=40", "Oren Vask: skills=seo"),
		},
		{
			name: "one profile address in two rows",
			files: files{"people.csv", "name,url,skills\nMira Talden,https://a.example/mira,Go\n" +
				"Mira Talden,https://a.example/mira,SQL\nMira Talden,https://a.example/mira2,Figma\n"},
			want: loads(2, "Mira Talden: skills=Go|SQL", "Mira Talden: skills=Figma"),
		},
		{
			name: "one e-mail address in two rows",
			files: files{"people.csv", "name,email,skills\nMira Talden,mira@a.example,Go\n" +
				"Mira Talden,mira@a.example,SQL\nMira Talden,other@a.example,Figma\n"},
			want: loads(2, "Mira Talden: skills=Go|SQL", "Mira Talden: skills=Figma"),
		},
		{
			name:  "one id with two ratings is merged and reported",
			files: files{"people.csv", "id,name,skills,rating\n7,Mira Talden,Go,4.9\n7,Mira Talden,SQL,4.5\n"},
			want:  loads(1, "Mira Talden: skills=Go|SQL; rating=4.9").saying("rating", "4.9", "4.5", ":2", ":3"),
		},
		{
			name: "the same row twice",
			files: files{"people.csv", "name,location,title,skills,rate\nMira Talden,Oslo,Nurse,Care,40\n" +
				"Mira Talden,Oslo,Nurse,Care,40\n"},
			want: loads(1, "Mira Talden: skills=Care"),
		},
		{
			name: "more merges than allowed",
			files: files{"people.csv", "id,name,skills\n" +
				strings.Repeat("7,Mira Talden,Go\n", 10) + "8,Oren Vask,SEO\n"},
			args: "load -max-merged 2% people.csv",
			want: refuses("-max-merged"),
		},
		{
			name: "fewer merges than allowed",
			files: files{"people.csv", inventedCSV(200) +
				"p0,Mira Baden,,Kubernetes,,\n"},
			args: "load -max-merged 2% people.csv",
			want: loads(200),
		},
		{
			name: "an id repeated for people with different names",
			files: files{"people.csv", "id,name,skills,location\n" +
				"0,Mira Talden,Go,Oslo\n0,Oren Vask,SEO,Lima\n0,Talia Reth,Figma,Rome\n"},
			want: refuses("id").or(loads(3, "Mira Talden: skills=Go", "Oren Vask: skills=SEO", "Talia Reth: skills=Figma")),
		},
	}
}

// guardCases returns cases about inputs that must not replace a good index.
func guardCases() []corpusCase {
	people := inventedCSV(40)
	half := inventedCSV(20)
	ids := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "p%d\n", i)
		}
		return b.String()
	}

	jobs := "title,description,budget,skills,posted,proposals,client_country,payment_verified\n" + strings.Repeat(
		"Need a logo for my bakery,We are looking for a designer who can start today,$250 - $750,\"Logo, Illustrator\","+
			"2 hours ago,12 bids,Canada,True\n"+
			"Build a shop,I need an experienced developer for my store,$30 - $250,\"PHP, MySQL\",5 days ago,"+
			"31 bids,Chile,False\n", 20)

	gigs := "gig_title,seller,price,delivery_time,orders_in_queue,gig_url,tags\n" + strings.Repeat(
		"I will design a modern logo,mirat,$25,3 days,4,https://g.example/1,\"logo, branding\"\n"+
			"I will write a blog post,orenv,$15,2 days,0,https://g.example/2,\"seo, writing\"\n", 20)

	return []corpusCase{
		{name: "job postings", files: files{"jobs.csv", jobs}, want: refuses("job posting")},
		{
			name: "job postings over a good index", live: people, files: files{"jobs.csv", jobs},
			want: refuses("job posting"),
		},
		{name: "gigs", files: files{"gigs.csv", gigs}, want: refuses("gig")},
		{
			name: "people who write about jobs",
			files: files{"people.csv", "name,title,skills,hourly_rate,bio\n" +
				"Mira Talden,Go developer,\"Go, SQL\",40,I am looking for long projects and can start today\n" +
				"Oren Vask,Illustrator,Figma,30,Need a logo? We are looking forward to your project and your budget\n"},
			want: loads(2),
		},
		{
			name: "candidates with the job they applied for",
			files: files{"candidates.csv", "Candidate,Job applied for,Stage,Skills,Years of experience,Expected salary\n" +
				"Mira Talden,Backend engineer,Interview,\"Go, SQL\",7,90000\nOren Vask,Designer,Offer,Figma,3,60000\n"},
			want: loads(2, "Mira Talden: skills=Go|SQL; experience=7; hourly_rate=unknown"),
		},
		{
			name: "half of the people", live: people, files: files{"half.csv", half},
			want: refuses("40", "20", "-allow-shrink"),
		},
		{
			name: "half of the people, on purpose", live: people, files: files{"half.csv", half},
			args: "load -allow-shrink half.csv", want: loads(20),
		},
		{name: "three quarters of the people", live: people, files: files{"less.csv", inventedCSV(30)}, want: loads(30)},
		{
			name: "nobody has a rate any more", live: people,
			files: files{"people.csv", inventedCSV(40, func(_ int, cells []string) { cells[4] = "" })},
			want:  refuses("hourly_rate", "-allow-shrink"),
		},
		{
			name: "nobody has skills any more", live: people,
			files: files{"people.csv", inventedCSV(40, func(_ int, cells []string) { cells[3] = "" })},
			want:  refuses("skills", "-allow-shrink"),
		},
		{
			name: "half of the titles are gone", live: people,
			files: files{"people.csv", inventedCSV(40, func(i int, cells []string) {
				if i%2 == 0 {
					cells[2] = ""
				}
			})},
			want: refuses("job_title", "-allow-shrink"),
		},
		{
			name: "a renamed column", live: people,
			files: files{"people.csv", strings.Replace(people, "job_title", "Zxcvb", 1)},
			want:  refuses("job_title").or(loads(40, "Mira Baden: job_title=Go developer")),
		},
		{
			name: "delete 40 percent", live: people, files: files{"ids.txt", ids(16)}, args: "delete -ids-file ids.txt",
			want: refuses("-allow-shrink"),
		},
		{
			name: "delete 40 percent on purpose", live: people, files: files{"ids.txt", ids(16)},
			args: "delete -allow-shrink -ids-file ids.txt", want: loads(24),
		},
		{
			name: "delete a tenth", live: people, files: files{"ids.txt", ids(4)}, args: "delete -ids-file ids.txt",
			want: loads(36),
		},
		{
			name: "an upsert may be small", live: people, files: files{"one.csv", inventedCSV(1)},
			args: "load -upsert one.csv", want: loads(40),
		},
		{
			name: "an empty file", live: people, files: files{"people.csv", ""},
			want: refuses("people.csv"),
		},
		{
			name: "a header and nothing else", live: people, files: files{"people.csv", "id,name,skills\n"},
			want: refuses("people.csv"),
		},
		{name: "an error page instead of the file", live: people, files: files{
			"people.csv", "<!DOCTYPE html>\n" +
				"<html><head><title>502 Bad Gateway</title></head><body><h1>502, sorry</h1></body></html>\n",
		}, want: refuses("people.csv")},
		{
			name: "a product catalog", files: files{"shop.csv", "sku,name,price,stock,description,category\n" +
				"A1,Oak table,$250,4,A table of solid oak,Furniture\nA2,Desk lamp,$30,12,A lamp for a desk,Light\n"},
			want: refuses(),
		},
	}
}
