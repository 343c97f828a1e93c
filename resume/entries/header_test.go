package entries

import (
	"testing"
)

// A header is written as the entries give it: its parts are separated by bars.
func TestHeader(t *testing.T) {
	entries := newTestEntries(t)
	for _, c := range []struct {
		text                     string
		titleFirst               bool // if the words don't show it
		title, company, location string
	}{
		{"Backend Engineer | Acme", true, "Backend Engineer", "Acme", ""},
		{"Acme | Backend Engineer", true, "Backend Engineer", "Acme", ""},
		{"Backend Engineer, Acme", true, "Backend Engineer", "Acme", ""},
		{"Acme Ltd, Head of Data | Full-time", true, "Head of Data", "Acme Ltd", ""},
		{"Softwareentwicklerin | Tidewheel GmbH, Berlin", true, "Softwareentwicklerin", "Tidewheel GmbH", "Berlin"},
		{"Engineer | Acme (Lyon, France)", true, "Engineer", "Acme", "Lyon, France"},
		{"Engineer | Acme | Springfield, Evergreen", true, "Engineer", "Acme", "Springfield, Evergreen"},
		{"Engineer | Granite & Birch, Chicago, IL", true, "Engineer", "Granite & Birch", "Chicago, IL"},
		{"Wizard | Acme", true, "Wizard", "Acme", ""},
		{"Web/Mobile Developer | Acme", true, "Web/Mobile Developer", "Acme", ""},
		{"Director, Product | Acme", true, "Director, Product", "Acme", ""},
		{"Business Owner – Designer", true, "Business Owner – Designer", "", ""},
		{"Charge Nurse, ICU, Duluth, MN | Harbor Hospital", true, "Charge Nurse, ICU", "Harbor Hospital", "Duluth, MN"},
		{"Company Name City , State Operations Technician", true, "Operations Technician", "Company Name", "City , State"},
		{"Site Supervisor | Company Name City , State", true, "Site Supervisor", "Company Name", "City , State"},
		{
			"Company Name City , State , USA Tile Layer/Painter", true,
			"Tile Layer/Painter", "Company Name", "City , State , USA",
		},
		{"HR Clerk Company Name - City , State", true, "HR Clerk", "Company Name", "City , State"},
		{"Bookkeeper/Buyer Company Name", true, "Bookkeeper/Buyer", "Company Name", ""},
		{"Site Supervisor | Granite Trust Chicago, IL", true, "Site Supervisor", "Granite Trust", "Chicago, IL"},
		{"Head of Science (Harbor College, Sydney)", true, "Head of Science", "Harbor College", "Sydney"},
		{"Pilot at Air France", true, "Pilot", "Air France", ""},
		{"Trainee, Larkspur Consulting Engineers", true, "Trainee", "Larkspur Consulting Engineers", ""},
		{"Software Engineer Tidewheel Inc.", true, "Software Engineer", "Tidewheel Inc.", ""},
		{"Employer: Acme | Position: Engineer", true, "Engineer", "Acme", ""},
		{"Wizard | Acme S.A.S.", false, "Wizard", "Acme S.A.S.", ""},
		{"Wizard", true, "Wizard", "", ""},
		{"University of Eastmere", true, "", "University of Eastmere", ""},
		{"Lead Analyst | HR, Harbor Goods", true, "Lead Analyst", "Harbor Goods", ""},
		{"Contributor – Lantern, Open Source Project", true, "Contributor", "Lantern", ""},
		{"Pfleger im Klinikum Bremen", true, "Pfleger", "Klinikum Bremen", ""},
		{"FSJ im OK Weinheim", true, "FSJ", "OK Weinheim", ""},
		{"Sachbearbeiter im Einkauf", true, "Sachbearbeiter im Einkauf", "", ""},
		{"软件工程师 | 某某公司", true, "软件工程师", "某某公司", ""},
	} {
		r := entries.headers.readLines([]string{c.text}, &positionGrammar)
		if r.texts[lead] != c.title || r.texts[host] != c.company || r.texts[where] != c.location {
			t.Errorf("%q has title %q, company %q, location %q, want %q, %q, %q",
				c.text, r.texts[lead], r.texts[host], r.texts[where], c.title, c.company, c.location)
		}
	}
}
