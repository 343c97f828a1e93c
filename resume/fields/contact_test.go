package fields

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/resumetest"
)

// TestNameInContacts reads a form that starts with personal information instead of the name.
func TestNameInContacts(t *testing.T) {
	const text = `Curriculum vitae
{9} PERSONAL INFORMATION    Mara Quillfeather Ruiz
Calle Arce 2, 11402 Jerez (Spain)
ada@example.org

{9} WORK EXPERIENCE
{9} 04/09/2015–30/07/2016    Kitchen assistant
Mullen & Sons, Cambridge (United Kingdom)`
	r := extract(t, newExtractor(t), resumetest.ParseDocument(text))
	if r.Name != "Mara Quillfeather Ruiz" {
		t.Errorf("name is %q", r.Name)
	}
}

// The documents are in the notation of testdata/resumes/README.md, below a name.
func TestContact(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct {
		name, text string
		want       resume.Contact
	}{
		{"one line", "ada@example.org | +44 20 7946 0991 | Leeds, UK", resume.Contact{
			Email: "ada@example.org", Phone: "+44 20 7946 0991", Location: "Leeds, UK",
		}},
		{"labels in cells", "Telefon    030/1234567\nWohnort    Berlin", resume.Contact{
			Phone: "+49 30 1234567", Location: "Berlin",
		}},
		{"label above its value", "Address\nOld Mill 3", resume.Contact{Location: "Old Mill 3"}},
		{"the labeled phone wins", "Ref. 1234567 | Tel. 7654321", resume.Contact{Phone: "7654321"}},
		{
			"the place of a signature", "ada@example.org\n\n{12 bold} Experience\nClerk, Harbor Goods, 2018 - 2019\n" +
				"- Kept the books\nDate:\nPlace: Hyderabad",
			resume.Contact{Email: "ada@example.org", Location: "Hyderabad"},
		},
		{
			"the place of a job is not the person's", "ada@example.org\n\n{12 bold} Experience\nPlace: Hyderabad\n" +
				"Clerk, Harbor Goods, 2018 - 2019\n- Kept the books\n- Sold\n- Bought\n- Mended",
			resume.Contact{Email: "ada@example.org"},
		},
		{"a fax is no phone", "Fax 7654321", resume.Contact{}},
		{"a date is no phone", "Born 12.03.1990", resume.Contact{}},
		{"spelled signs", "ada [at] example [dot] org", resume.Contact{Email: "ada@example.org"}},
		{"spelled words", "ada at example dot org", resume.Contact{Email: "ada@example.org"}},
		{"round brackets", "ada (at) example.org", resume.Contact{Email: "ada@example.org"}},
		{"spaces around the sign", "ada @ example.org", resume.Contact{Email: "ada@example.org"}},
		{"an address on two lines", "ada@example.o\nrg", resume.Contact{Email: "ada@example.org"}},
		{"an address on two lines, other details after it", "ada.quill@\nexample.org | +44 20 7946 0991", resume.Contact{
			Email: "ada.quill@example.org", Phone: "+44 20 7946 0991",
		}},
		{"an address on three lines", "ada.marlowe.\nquill@example.c\nom", resume.Contact{
			Email: "ada.marlowe.quill@example.com",
		}},
		{"a wrapped sentence above an address", "Leads sales and\nteams.\nada@example.org", resume.Contact{
			Email: "ada@example.org",
		}},
		{"a foreign number as written", "ada@example.org | (555) 018-2390 | Hamburg, Germany", resume.Contact{
			Email: "ada@example.org", Phone: "(555) 018-2390", Location: "Hamburg, Germany",
		}},
		{"a postal code and an unknown town", "Mühlweg 16, 4690 Schwanenau\nada@example.org", resume.Contact{
			Email: "ada@example.org", Location: "Mühlweg 16, 4690 Schwanenau",
		}},
		{"a postal code alone", "67435 Neuhof am Walde\nada@example.org", resume.Contact{
			Email: "ada@example.org", Location: "67435 Neuhof am Walde",
		}},
		{"a quarter and a city", "Saúde, São Paulo - SP\nada@example.org", resume.Contact{
			Email: "ada@example.org", Location: "Saúde, São Paulo",
		}},
		{"a country in brackets", "Calle Arce 2, 11402 Jerez (Spain)\nada@example.org", resume.Contact{
			Email: "ada@example.org", Location: "Calle Arce 2, 11402 Jerez (Spain)",
		}},
		{
			"personal data is no place",
			"ada@example.org\nSex Female | Date of birth 26/07/1991 | Nationality Spanish\nTel. 7654321",
			resume.Contact{Email: "ada@example.org", Phone: "7654321"},
		},
		{
			"parents are no place", "ada@example.org\nEltern:    Birgit Quillfeather, Lindow\nTel. 7654321",
			resume.Contact{Email: "ada@example.org", Phone: "7654321"},
		},
		{"icons between details", "m Bremen, Germany B info@example.org T +49 176 1234567", resume.Contact{
			Email: "info@example.org", Phone: "+49 176 1234567", Location: "Bremen, Germany",
		}},
		{"a label without a space", "Phone No:7815551234\nE-mail: ada@example.org", resume.Contact{
			Email: "ada@example.org", Phone: "7815551234",
		}},
		{"a hyperlink completes the address", "E-mail: ada@example.or…\n-> mailto:ada@example.org", resume.Contact{
			Email: "ada@example.org",
		}},
		{"elsewhere in the document", "\n{14 bold} Skills\nE-mail ada@example.org\nPhone: 7654321", resume.Contact{
			Email: "ada@example.org", Phone: "7654321",
		}},
		{"not that of a referee", "\n{14 bold} References\nada@example.org", resume.Contact{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n"+c.text)).Contact
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("contact (-want +got):\n%s", diff)
			}
		})
	}
}
