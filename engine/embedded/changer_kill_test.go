package embedded

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

const (
	changerDir  = "MATCHING_TEST_CHANGER_DIR"
	changerTask = "MATCHING_TEST_CHANGER_TASK"
)

// counter returns a change of the document that all children change.
func counter(value int) engine.Change {
	c := put(0, "counter")
	c.Document.Freelancer.TotalSales = matching.Some(value)
	return c
}

// A child is a process that changes the index until it is killed or done. It prints a line for each change that was
// acknowledged.
type child struct {
	process *exec.Cmd
	lines   chan string
}

// startChild runs TestChangesChild. The task is "write N", for changes of documents of its own by writer N, "count N",
// for N increments of the counter, or "merge".
func startChild(t *testing.T, dir, task string) *child {
	t.Helper()
	c := &child{process: exec.Command(os.Args[0], "-test.run=^TestChangesChild$"), lines: make(chan string, 1000)}
	c.process.Env = append(os.Environ(), changerDir+"="+dir, changerTask+"="+task)
	if _, err := c.process.StdinPipe(); err != nil { // closed when this process ends, which ends the child
		t.Fatal(err)
	}

	out, err := c.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.process.Stderr = os.Stderr
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}

	go func() {
		defer close(c.lines)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			c.lines <- lines.Text()
		}
	}()

	return c
}

// TestChangesChild is the child process.
func TestChangesChild(t *testing.T) {
	dir := os.Getenv(changerDir)
	task := os.Getenv(changerTask)

	if dir == "" {
		t.Skip("started by other tests")
	}

	go func() { // ends with the parent
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(1)
	}()

	e := open(t, dir)
	what, argument, _ := strings.Cut(task, " ")
	number, _ := strconv.Atoi(argument)

	switch what {
	case "write":
		for n := 1; ; n++ {
			for document := range 3 { // a put, a put of more, a deletion and another put
				i := 10*number + document
				changes := []engine.Change{put(i, strconv.Itoa(n)), put(i+1000, strconv.Itoa(n))}

				if n%3 == 0 {
					changes = append(changes, remove(i), put(i, strconv.Itoa(n)), remove(i+1000))
				}
				change(t, e, changes...)
				fmt.Println("wrote", i, n)
			}
		}

	case "merge":
		for {
			if err := e.Compact(t.Context(), "index"); err != nil && !strings.Contains(err.Error(), "replaced meanwhile") {
				t.Fatal(err)
			}
			fmt.Println("merged")
		}

	case "count":
		for value := 0; number > 0; {
			next := counter(value + 1)
			next.If.Versions = []string{engine.Version(&counter(value).Document.Freelancer)}
			outcomes, err := e.Apply(t.Context(), "all", []engine.Change{next})
			if err != nil {
				t.Fatal(err)
			}

			if outcomes[0].Err == nil {
				number--
				value++
				continue
			}

			if _, ok := errors.AsType[*engine.VersionError](outcomes[0].Err); !ok {
				t.Fatal(outcomes[0].Err)
			}
			s, err := e.Open(t.Context(), "all")
			if err != nil {
				t.Fatal(err)
			}

			found, err := s.Fetch(t.Context(), []string{"id-0"})
			if err != nil {
				t.Fatal(err)
			}
			value = found[0].TotalSales.Value
		}

		fmt.Println("counted")
	}
}

// live returns the folder of a new index that is live, with the counter.
func live(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	e := open(t, dir)
	bulk := begin(t, e, "index")
	if err := bulk.Add(t.Context(), counter(0).Document); err != nil {
		t.Fatal(err)
	}
	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Processes that are killed while they change and merge an index lose no change that was acknowledged.
func TestChanges_Killed(t *testing.T) {
	rounds := 4
	acknowledgments := 60

	if testing.Short() {
		rounds = 1
	}
	dir := live(t)
	acknowledged := map[int]int{}
	for range rounds {
		children := []*child{
			startChild(t, dir, "write 1"), startChild(t, dir, "write 2"), startChild(t, dir, "merge"),
		}
		var group sync.WaitGroup
		var mu sync.Mutex
		for _, c := range children {
			group.Go(func() {
				for n := 0; n < acknowledgments; {
					line, ok := <-c.lines
					if !ok {
						t.Error("a child ended early")
						return
					}

					var document, value int
					if _, err := fmt.Sscanf(line, "wrote %d %d", &document, &value); err == nil {
						mu.Lock()
						acknowledged[document] = value
						mu.Unlock()
						n++
					} else if line == "merged" {
						n += 20
					} else {
						t.Error(line)
						return
					}
				}
			})
		}

		group.Wait()
		for _, c := range children {
			if err := c.process.Process.Kill(); err != nil {
				t.Error(err)
			}

			for line := range c.lines { // it may have gone on until it was killed
				var document, value int
				if _, err := fmt.Sscanf(line, "wrote %d %d", &document, &value); err == nil {
					acknowledged[document] = value
				}
			}

			_ = c.process.Wait()
		}

		got := contents(t, dir, 1030)
		for document, value := range acknowledged {
			n, err := strconv.Atoi(got[document])
			// The last change may have been written without being acknowledged.
			if err != nil || n != value && n != value+1 {
				t.Errorf("document %d: %q, want %d or %d", document, got[document], value, value+1)
			}
			companion, exists := got[document+1000]
			if exists == (n%3 == 0) || exists && companion != got[document] {
				t.Errorf("document %d: %q, %v beside %d: a batch was made in part", document+1000, companion, exists, n)
			}
		}

		clear(acknowledged)
	}
}

// Increments of a counter by several processes, each on the condition that nobody else was faster, are all made.
func TestChanges_Processes(t *testing.T) {
	dir := live(t)
	each := 40
	children := []*child{startChild(t, dir, fmt.Sprint("count ", each)), startChild(t, dir, fmt.Sprint("count ", each))}
	for _, c := range children {
		for line := range c.lines {
			if line != "counted" && line != "PASS" {
				t.Error(line)
			}
		}

		if err := c.process.Wait(); err != nil {
			t.Error(err)
		}
	}

	s, err := open(t, dir).Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Fetch(t.Context(), []string{"id-0"})
	if err != nil || found[0].TotalSales.Value != 2*each {
		t.Errorf("counter = %v, %v; want %d", found, err, 2*each)
	}
}
