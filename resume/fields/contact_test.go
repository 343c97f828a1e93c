package fields

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/resume"
	"freelancer-matching/resume/resumetest"
)

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
		{"a fax is no phone", "Fax 7654321", resume.Contact{}},
		{"a date is no phone", "Born 12.03.1990", resume.Contact{}},
		{"spelled signs", "ada [at] example [dot] org", resume.Contact{Email: "ada@example.org"}},
		{"spelled words", "ada at example dot org", resume.Contact{Email: "ada@example.org"}},
		{"round brackets", "ada (at) example.org", resume.Contact{Email: "ada@example.org"}},
		{"spaces around the sign", "ada @ example.org", resume.Contact{Email: "ada@example.org"}},
		{"an address on two lines", "ada@example.o\nrg", resume.Contact{Email: "ada@example.org"}},
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
