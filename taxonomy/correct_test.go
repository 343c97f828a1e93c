package taxonomy_test

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/taxonomy"
)

func TestTaxonomy_Correct(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Kuberntes", "Kubernetes"},
		{"kubernets", "Kubernetes"},
		{"Kubernete", ""}, // the last letter is missing
		{"Pyhton", "Python"},
		{"Pyhton 3.11", "Python"},
		{"JavaScirpt", "JavaScript"},
		{"javascirpt", "JavaScript"},
		{"JAVASCIRPT", "JavaScript"},
		{"Djnago", "Django"},
		{"Reactt", "React"},
		{"Figam", "Figma"},
		{"Photohsop design", "Adobe Photoshop"},
		{"Adobe Illustraotr", "Adobe Illustrator"},
		{"graphic desgin", "Graphic Design"},
		{"Data Anlaysis", "Data Analysis"},
		{"Postgressql", "PostgreSQL"},
		{"WordPres", ""},          // a letter is missing at the end
		{"Kuberntes Pyhton", ""},  // two words are unknown
		{"xKubernetes", ""},       // the first letter differs
		{"Kubrntes", ""},          // two letters are missing
		{"Phyton programing", ""}, // two slips
		{"React", ""},             // not misspelled
		{"Quillfeather", ""},
		{"", ""},
		{"---", ""},
		{"C+++", ""},
		{strings.Repeat("kuberntes", 100), ""},
		{strings.Repeat("kuberntes ", 1000), ""},
		{"\xff\xfe\xfd", ""},
	}

	x := load(t)
	for _, test := range tests {
		t.Run(test.name[:min(len(test.name), 20)], func(t *testing.T) {
			got, ok := x.Correct(test.name)
			if got.Name != test.want || ok != (test.want != "") {
				t.Errorf("Correct(%q) = %+v, %v, want %q", test.name, got, ok, test.want)
			}
		})
	}
}

// Names of real products stay what they are, although the taxonomy lacks them and one letter away has another product.
func TestTaxonomy_CorrectKeepsRealNames(t *testing.T) {
	x := load(t)
	for name := range strings.FieldsSeq(`Podman Preact Scalar Reactor Vitest Prism Panda Redox Solus KaiOS Nucleo Razer
		Axure ReactOS Lucide Inertia Signal Trezor RSocket Stencil Cloudron QuickLook Firewalla RMarkdown iCalendar
		Oxygen Outline Evaluation Parser Udacity Goodreads Hostinger Semaphore OpenTofu Valkey Garnet Bunny Zigbee
		Rustic Swifty Angle Nexus Nuxeo Flashlight Pythia Kotlinx Javalin Golem Dockge Jenkinsfile Gitea Forgejo
		Codeberg Ollama Mistral Dioxus Tauri Leptos Yew Actix Axum Warp Rocket Hyper Tokio Wasmer Wasmtime Elysia Hono
		Nitro Drizzle Kysely Turso Convex Typst Biome Oxlint Rolldown Rspack Turbopack Farm Effect Zod Valibot Arktype`) {
		if r := x.Resolve(name); r.Known {
			continue
		}
		if got, ok := x.Correct(name); ok {
			t.Errorf("%s became %s", name, got.Name)
		}
	}
}

// Misspelled names of common skills are corrected, and never to another skill.
func TestTaxonomy_CorrectRestoresSlips(t *testing.T) {
	x := load(t)
	tried, restored := 0, 0
	for s := range x.Skills() {
		if s.Use < 60 || len(s.Name) < 7 || strings.ContainsFunc(s.Name, func(r rune) bool { return r < 'A' || r > 'z' }) {
			continue
		}

		middle := len(s.Name) / 2
		if s.Name[middle] == s.Name[middle-1] {
			continue
		}

		swapped := []byte(s.Name)
		swapped[middle-1], swapped[middle] = swapped[middle], swapped[middle-1]
		for _, name := range []string{string(swapped), s.Name[:middle] + s.Name[middle+1:]} {
			if x.Resolve(name).Known {
				continue
			}
			tried++

			switch r, ok := x.Correct(name); {
			case ok && r.ID != s.ID:
				t.Errorf("%s, a misspelled %s, became %s", name, s.Name, r.Name)
			case ok:
				restored++
			}
		}
	}

	if restored*100 < 95*tried || tried < 100 {
		t.Errorf("%d of %d misspelled names of common skills were corrected, want 95 percent", restored, tried)
	}
}

func BenchmarkTaxonomy_Correct(b *testing.B) {
	x, err := taxonomy.Load()
	if err != nil {
		b.Fatal(err)
	}
	x.Correct("warm up") // builds the vocabulary
	for b.Loop() {
		x.Correct("Kuberntes")
	}
}
