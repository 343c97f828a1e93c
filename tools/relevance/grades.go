package relevance

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const agreeHelp = `
Compares the grades that two people gave to the same freelancers: the share of equal grades, and quadratic weighted
kappa (Cohen 1968) with a 95% interval (bootstrap over briefs). Kappa is 0 if they agree as often as by chance, and 1 if
they always agree. Below .6, discuss the guideline before you grade more.

Examples:
  relevance agree -first my-briefs/judgments.tsv -second second-grader
`

func agreeCommand() *command {
	var first, second string
	flags := commandline.NewFlags("agree")
	flags.StringVar(&first, "first", "", "`file` with grades, or a folder of .tsv files")
	flags.StringVar(&second, "second", "", "`file` with the other grades, or a folder of .tsv files")

	return &command{
		name: "agree", summary: "compare the grades of two people", details: agreeHelp, flags: flags,
		run: func(_ context.Context, stdout io.Writer) error {
			if first == "" || second == "" {
				return commandline.Usagef("agree needs -first and -second, two files or folders of grades")
			}

			a, err := readGrades(first)
			if err != nil {
				return err
			}

			b, err := readGrades(second)
			if err != nil {
				return err
			}

			writeAgreement(stdout, eval.Agree(a, b))
			return nil
		},
	}
}

func writeAgreement(w io.Writer, a *eval.Agreement) {
	fmt.Fprintf(w, "pairs graded by both  %d, of %d briefs (only by the first %d, only by the second %d)\n",
		a.Pairs, a.Kappa.N, a.OnlyFirst, a.OnlySecond)
	if a.Pairs == 0 {
		return
	}
	fmt.Fprintf(w, "same grade            %.3f  [%.3f, %.3f]\n", a.Same.Mean, a.Same.Low, a.Same.High)
	fmt.Fprintf(w, "weighted kappa        %.3f  [%.3f, %.3f]\n", a.Kappa.Mean, a.Kappa.Low, a.Kappa.High)
	fmt.Fprint(w, "\nfirst \\ second    0    1    2    3\n")
	for grade, counts := range a.Confusion {
		fmt.Fprintf(w, "%14d %4d %4d %4d %4d\n", grade, counts[0], counts[1], counts[2], counts[3])
	}
}

const mergeHelp = `
Adds grades to judgments.tsv of a judged set. It refuses all of them if a grade is missing or not 0 to 3, a pair is
graded twice, a brief or a freelancer is unknown, or a pair has another grade in judgments.tsv.

Examples:
  relevance merge -judged my-briefs -grades to-grade
`

func mergeCommand() *command {
	var folder, grades string
	flags := commandline.NewFlags("merge")
	flags.StringVar(&folder, "judged", "", "`folder` of the judged set (required)")
	flags.StringVar(&grades, "grades", "", "`file` with new grades, or a folder of .tsv files (required)")
	return &command{
		name: "merge", summary: "check grades and add them to a judged set", details: mergeHelp, flags: flags,
		run: func(ctx context.Context, stdout io.Writer) error {
			if folder == "" || grades == "" {
				return commandline.Usagef("merge needs -judged, a folder, and -grades, a file or folder")
			}
			return merge(ctx, folder, grades, stdout)
		},
	}
}

func merge(ctx context.Context, folder, path string, stdout io.Writer) error {
	set, err := readJudgedSet(folder)
	if err != nil {
		return err
	}

	profiles, err := readProfiles(ctx, set.freelancers)
	if err != nil {
		return err
	}

	// A typing mistake in an ID would become a grade that never counts, so both IDs are checked.
	known := map[string]bool{}
	for i := range profiles {
		known[profiles[i].ID] = true
	}

	grades, err := readGrades(path)
	if err != nil {
		return err
	}

	var counts [eval.Excellent + 1]int
	for brief, freelancers := range grades {
		if !slices.ContainsFunc(set.briefs, func(b eval.Brief) bool { return b.ID == brief }) {
			return fmt.Errorf("%s grades brief %q, which is not in %s/briefs.jsonl", path, brief, folder)
		}

		for freelancer, grade := range freelancers {
			if !known[freelancer] {
				return fmt.Errorf("%s grades freelancer %q, who is not in %s", path, freelancer, set.freelancers)
			}
			counts[grade]++
		}
	}

	added, err := set.judgments.Add(grades)
	if err != nil {
		return fmt.Errorf("%s and judgments.tsv: %w", path, err)
	}

	// Renaming replaces the file in one step: a crash while writing must not lose collected grades.
	judgments := filepath.Join(folder, "judgments.tsv")
	if err := writeFile(judgments+".new", set.judgments.Write); err != nil {
		return err
	}
	if err := os.Rename(judgments+".new", judgments); err != nil {
		return err
	}

	fmt.Fprintf(stdout, "%d grades added; of those read, %d are 0, %d are 1, %d are 2, and %d are 3\n",
		added, counts[0], counts[1], counts[2], counts[3])
	for _, b := range set.briefs {
		if len(set.judgments[b.ID]) == 0 {
			fmt.Fprintf(stdout, "brief %s has no grades yet\n", b.ID)
		}
	}

	return nil
}

// readGrades reads a file of judgments, or all .tsv files in a folder. A pair may be graded only once.
func readGrades(path string) (eval.Judgments, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}

	files := []string{path}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.tsv")); err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s has no .tsv files", path)
		}
	}

	all := eval.Judgments{}
	for _, file := range files {
		grades, err := readFile(file, eval.ReadJudgments)
		if err != nil {
			return nil, err
		}

		// Within one file, ReadJudgments rejects duplicates; between files, only this loop does.
		for brief, freelancers := range grades {
			for freelancer := range freelancers {
				if _, twice := all[brief][freelancer]; twice {
					return nil, fmt.Errorf("%s: freelancer %q is graded for brief %q in another file as well", file, freelancer, brief)
				}
			}
		}

		if _, err := all.Add(grades); err != nil {
			return nil, err
		}
	}

	return all, nil
}
