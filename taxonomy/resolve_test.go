package taxonomy_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/taxonomy"
)

// loadOnce shares one taxonomy among the tests, which cannot modify it.
var loadOnce = sync.OnceValues(taxonomy.Load)

func load(tb testing.TB) *taxonomy.Taxonomy {
	tb.Helper()
	t, err := loadOnce()
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestResolve_Known(t *testing.T) {
	tax := load(t)
	tests := []struct {
		id    string
		names []string
	}{
		{"react", []string{"React", "ReactJS", "React.js", "react js", "REACT", "react-js"}},
		{"react", []string{"React 18", "React development", "React Developer"}},
		{"react-native", []string{"React Native", "ReactNative", "RN", "react native developer"}},
		{"node-js", []string{"Node", "NodeJS", "node js", "Node.JS", "Node.js 20"}},
		{"kubernetes", []string{"k8s", "Kubernetes", "K8S"}},
		{"go", []string{"Go", "golang", "Go 1.22", "Go programming"}},
		{"c", []string{"C", "c programming", "C language", "C99"}},
		{"c-plus-plus", []string{"C++", "c++11", "C++ 17", "cpp", "C++ Programming", "Ｃ＋＋", "c ++"}},
		{"c-sharp", []string{"C#", "c sharp", "C# 12", "C#8", "C #"}},
		{"f-sharp", []string{"F#"}},
		{"r", []string{"R", "R programming", "R 4.3"}},
		{"dot-net", []string{".NET", "dotnet", ".net", ".NET 5.0", ".NET Framework"}},
		{"dot-net-core", []string{".NET Core", "dotnet core"}},
		{"asp-net", []string{"ASP.NET", "asp net", "ASP .NET"}},
		{"next-js", []string{"Next.js", "NextJS", "Next.js 14", "next js"}},
		{"vue-js", []string{"Vue", "Vue 3", "Vue.js", "VueJS"}},
		{"angular", []string{"Angular", "Angular 2+", "Angular 17"}},
		{"python", []string{"Python", "Python 3", "Python 3.11", "python3", "Python script", "Python developer"}},
		{"php", []string{"PHP", "PHP 8", "PHP8", "Core PHP"}},
		{"html", []string{"HTML", "HTML5", "Hypertext markup language HTML"}},
		{"sql", []string{"SQL", "Structured query language SQL"}},
		{"amazon-web-services", []string{"AWS", "Amazon Web Services AWS software"}},
		{"microsoft-sql-server", []string{"MSSQL", "SQL Server", "SQL Server 2019", "MS SQL"}},
		{"t-sql", []string{"T-SQL", "Transact-SQL", "tsql"}},
		{"power-bi", []string{"PowerBI", "Power BI", "PBI", "Microsoft Power BI"}},
		{"microsoft-excel", []string{"Excel", "MS Excel", "Microsoft Excel", "Advanced Excel", "Microsoft Excel 2016"}},
		{"wordpress", []string{"WP", "WordPress developer", "Word Press"}},
		{"adobe-photoshop", []string{"Photoshop", "Photoshop design", "Adobe Photoshop CC"}},
		{"adobe-illustrator", []string{"Illustrator", "AI (Adobe Illustrator)", "Adobe Illustrator"}},
		{"adobe-after-effects", []string{"After Effects", "AE", "Adobe After Effects"}},
		{"artificial-intelligence", []string{"AI", "Artificial Intelligence"}},
		{"large-language-models", []string{"LLM", "LLMs", "Large Language Models (LLMs)"}},
		{"retrieval-augmented-generation", []string{"RAG"}},
		{"d3-js", []string{"D3", "D3.js"}},
		{"3ds-max", []string{"3ds Max", "3D Studio Max"}},
		{"web3", []string{"Web3"}},
		{"auth0", []string{"Auth0"}},
		{"amazon-s3", []string{"S3", "AWS S3"}},
		{"microsoft-365", []string{"Office 365", "Microsoft 365"}},
		{"2d-animation", []string{"2D animation"}},
		{"rest-api", []string{"REST APIs", "REST", "RESTful API"}},
		{"logo-design", []string{"logos", "Logo", "Logo designer"}},
		{"data-entry", []string{"𝑫𝒂𝒕𝒂 𝑬𝒏𝒕𝒓𝒚", "dataentry", "Data-Entry", "data entry specialist"}},
		{"copy-and-paste", []string{"Copy & Paste", "copy and paste", "Copy/Paste"}},
		{"resume-writing", []string{"Résumé writing", "CV writing"}},
		{"spanish-translation", []string{"Spanish Translator", "English to Spanish translation"}},
		{"spanish", []string{"Spanish", "Español"}},
		{"seo", []string{"SEO", "Search Engine Optimization (SEO)", "seo expert"}},
		{"social-media-marketing", []string{"SMM", "Social Media Marketing"}},
		{"bookkeeping", []string{"Bookkeeper", "bookkeeping services", "book-keeping"}},
		{"virtual-assistance", []string{"Virtual Assistant", "VA"}},
		{"solidworks", []string{"SolidWorks", "Solid Works", "Dassault Systemes SolidWorks"}},
		{"mergers-and-acquisitions", []string{"M&A"}},
		{"adobe-indesign", []string{"INDD", "ID"}},
		{"adobe-after-effects", []string{"AE", "Adobe AE"}},
		{"microsoft-powerpoint", []string{"PPT", "PPTX"}},
		{"quickbooks", []string{"QBO", "QBD"}},
		{"license-plate-recognition", []string{"ALPR", "ANPR"}},
		{"social-media-advertising", []string{"paid social", "social media ads"}},
		{"community-management", []string{"community mgmt", "Community Mgmt."}},
		{"graphic-design", []string{"Diseño gráfico", "graphisme", "Grafikdesign", "design gráfico"}},
		{"graphic-design", []string{"progettazione grafica"}},
		{"portuguese-translation", []string{"EN-PT translation", "EN>PT", "English to Portuguese"}},
		{"adobe-premiere-pro", []string{"Premiere Pro", "Premiere", "Adobe Premiere"}},
		{"make-com", []string{"Make", "Integromat", "Make.com"}},
	}
	for _, tt := range tests {
		for _, name := range tt.names {
			if got := tax.Resolve(name); got.ID != tt.id || !got.Known {
				t.Errorf("Resolve(%q) = %+v, want %q", name, got, tt.id)
			}
		}
	}
}

func TestResolve_Unknown(t *testing.T) {
	tax := load(t)
	tests := []struct{ name, id, displayName string }{
		{"  Underwater   Basketry ", "~underwater basketry", "Underwater Basketry"},
		{"Underwater-Basketry", "~underwater basketry", "Underwater-Basketry"},
		{"Javascritp", "~javascritp", "Javascritp"},
		{"C4", "~c4", "C4"},
		{"!!!", "~!!!", "!!!"},
		{"", "~", ""},
		{"go to market", "~go to market", "go to market"},
	}
	for _, tt := range tests {
		if got, want := tax.Resolve(tt.name), (taxonomy.Resolution{ID: tt.id, Name: tt.displayName}); got != want {
			t.Errorf("Resolve(%q) = %+v, want %+v", tt.name, got, want)
		}
	}
}

// TestResolve_KeepsApart lists names that careless normalization would confuse.
func TestResolve_KeepsApart(t *testing.T) {
	tax := load(t)
	distinct := [][]string{
		{"C", "C++", "C#", "Objective-C", "F#", "R", "D", "V", "Go", ".NET", "ASP.NET", "VB.NET", "Visual Basic", "VBA"},
		{"Java", "JavaScript", "TypeScript"},
		{"Angular", "AngularJS"},
		{"React", "React Native", "Preact"},
		{"SQL", "MySQL", "PostgreSQL", "Microsoft SQL Server", "SQLite", "NoSQL", "T-SQL", "PL/SQL"},
		{"Web3", "Web Development"},
		{"Amazon S3", "Amazon EC2", "SSS"},
		{"Artificial Intelligence", "Adobe Illustrator"},
		{"UI Design", "UX Design", "UI/UX Design"},
		{"PPC", "Paid social", "Paid advertising", "Media buying", "SEM"},
		{"GAAP", "IFRS", "US Taxation"},
		{"VAT", "GST", "Sales tax"},
		{"Power electronics", "Electrical Engineering", "Power systems"},
		{"SCADA", "HMI", "PLC"},
		{"SAP HANA", "S/4HANA", "SAP"},
		{"PlanSwift", "On-Screen Takeoff", "Bluebeam"},
		{"Editing", "Proofreading", "Copy editing"},
		{"Microsoft Word", "WordPress"},
		{"Copywriting", "Copyright Law", "Copy & Paste"},
	}
	for _, names := range distinct {
		seen := make(map[string]string)
		for _, name := range names {
			id := tax.Resolve(name).ID
			if other, ok := seen[id]; ok {
				t.Errorf("%q and %q both mean %q", name, other, id)
			}
			seen[id] = name
		}
	}
}

func TestNormalize(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Node.js", "node js"},
		{"C++, C# & .NET", "c++ c# .net"},
		{"ASP.NET", "asp net"},
		{"𝑫𝒂𝒕𝒂 𝑬𝒏𝒕𝒓𝒚", "data entry"},
		{"Café ﬁne Ⅷ", "cafe fine viii"},
		{"Angular 2+", "angular 2"},
		{"c++11", "c++ 11"},
		{"\xff\x00", ""},
	}
	for _, tt := range tests {
		if got := taxonomy.Normalize(tt.name); got != tt.want {
			t.Errorf("Normalize(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	tax := load(f)
	for _, seed := range []string{
		"React.js", "C++", "AI (Adobe Illustrator)", "𝑫𝒂𝒕𝒂 𝑬𝒏𝒕𝒓𝒚", "Python 3.11", ".NET", "((", "a)b(c", "\xff", "½ ﷺ", "İ",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, name string) {
		normal := taxonomy.Normalize(name)
		if twice := taxonomy.Normalize(normal); twice != normal {
			t.Errorf("Normalize(%q) = %q, which normalizes to %q", name, normal, twice)
		}

		r := tax.Resolve(name)
		if _, ok := tax.Skill(r.ID); ok != r.Known {
			t.Errorf("Resolve(%q) = %+v, but Skill(%q) = %t", name, r, r.ID, ok)
		}

		if r.Known && tax.Resolve(r.Name) != r {
			t.Errorf("Resolve(%q) = %+v, whose name resolves to %+v", name, r, tax.Resolve(r.Name))
		}

		tax.JobTitle(name)
	})
}

// Short names are cached, so the second answer must be the first one, and long names must not be kept.
func TestResolve_Repeated(t *testing.T) {
	tax := load(t)
	for _, name := range []string{
		"react js", "Underwater  Basketry", "underwater basketry", "", "~", "C++ / Java", strings.Repeat("Go ", 100),
	} {
		first := tax.Resolve(name)
		if again := tax.Resolve(name); again != first {
			t.Errorf("%q: first %+v, then %+v", name, first, again)
		}
	}
}
