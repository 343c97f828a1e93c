package cli

import "testing"

func TestFormats_Text(t *testing.T) {
	s := newSession(t)
	polish := s.file("polish.csv", "Exported by Roster 3\nsep=;\n\xa3ukasz Brzoza;malarz;Oils, Murals\n")
	s.wantError(1, []string{"validate", polish, "-skip-lines", "1"}, "name it with -encoding",
		`"£ukasz" in windows-1252, "Łukasz" in iso-8859-2`)
	args := []string{
		"load", polish, "-skip-lines", "1", "-encoding", "iso-8859-2", "-no-header",
		"-map", "name=column 1", "-map", "job_title=column 2", "-map", "skills=column 3",
	}

	code, stdout, stderr := s.run("", args...)
	s.checkError(args, code, 0, stdout+stderr, "note: line 2 declares the delimiter ';'", "1 freelancer indexed")
	code, stdout, stderr = s.run("", "export")
	s.checkError([]string{"export"}, code, 0, stdout+stderr,
		`"name":"Łukasz Brzoza","job_title":"malarz","skills":["Oils",`)

	mixed := s.file("mixed.csv", "name,job_title\nZoë Lind,Cook\nAna Mu\xf1oz,Tailor\n")
	args = []string{"validate", mixed}
	code, stdout, stderr = s.run("", args...)
	s.checkError(args, code, 0, stdout+stderr,
		`1 name: not UTF-8; the invalid bytes were read as Windows-1252`, `mixed.csv:3 "Ana Muñoz"`)
	s.wantError(2, []string{"load", "-skip-lines", "some", mixed}, "want a number of lines, such as 2")
}
