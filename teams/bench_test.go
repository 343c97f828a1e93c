//go:build linux

package teams_test

import (
	"flag"
	"log/slog"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/teams"
)

var documents = flag.Int("teams-documents", 2000, "freelancers in the index of BenchmarkTeams")

// BenchmarkTeams finds teams for three roles among -teams-documents generated freelancers, with roles that the client
// lists and with roles that are proposed.
func BenchmarkTeams(b *testing.B) {
	c := config.Default()
	c.Data = b.TempDir()
	c.Encoder = config.EncoderOff
	index, err := setup.OpenIndex(c, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = index.Close() })

	generator, err := synthetic.New()
	if err != nil {
		b.Fatal(err)
	}
	if err := index.Fill(b.Context(), generator.DetailedFreelancers(*documents, 1), "generated", "USD"); err != nil {
		b.Fatal(err)
	}
	matcher, err := index.Service(nil)
	if err != nil {
		b.Fatal(err)
	}
	service, err := teams.New(matcher, index.Taxonomy, time.Now)
	if err != nil {
		b.Fatal(err)
	}

	for _, kind := range []string{"listed", "proposed"} {
		b.Run(kind, func(b *testing.B) { benchmarkTeams(b, service, requests(generator, kind == "proposed")) })
	}
}

// requests returns requests for three roles, which have the skills of three generated briefs.
func requests(generator *synthetic.Generator, proposed bool) (all []teams.Request) {
	var roles []teams.Role
	var text string
	for brief := range generator.Briefs(3) {
		if len(brief.RequiredSkills) == 0 {
			continue
		}
		text += brief.Description + "\n"
		roles = append(roles, teams.Role{
			Title: brief.JobTitle, Skills: brief.RequiredSkills[:min(3, len(brief.RequiredSkills))], Hours: matching.Some(80.),
		})
		if len(roles) < 3 {
			continue
		}

		request := teams.Request{
			Brief: matching.Brief{
				Description: text, Budget: matching.Some(matching.Budget{High: 12_000}), TimelineDays: matching.Some(60),
			},
			Limit: 4,
		}
		if !proposed {
			request.Roles = roles
		}
		all = append(all, request)
		roles = nil
		text = ""
		if len(all) == 100 {
			break
		}
	}
	return all
}

func benchmarkTeams(b *testing.B, service *teams.Service, all []teams.Request) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	var durations, processor []time.Duration
	roles, found, exact, alternatives := 0, 0, 0, 0
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		beginThread := threadTime(b)
		plan, err := service.Plan(b.Context(), &all[i%len(all)])
		if err != nil {
			b.Fatal(err)
		}
		answer, err := service.Find(b.Context(), plan)
		if err != nil {
			b.Fatal(err)
		}
		processor = append(processor, threadTime(b)-beginThread)
		durations = append(durations, time.Since(begin))

		roles += len(answer.Roles)
		alternatives += len(answer.Teams)
		if len(answer.Teams) > 0 {
			found++
		}
		if answer.Search.Exact {
			exact++
		}
	}

	report := func(durations []time.Duration, name string) {
		slices.Sort(durations)
		b.ReportMetric(float64(durations[len(durations)/2].Microseconds())/1e3, "p50-"+name)
		b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds())/1e3, "p99-"+name)
	}
	report(durations, "ms")
	report(processor, "cpu-ms")
	each := float64(b.N)
	b.ReportMetric(float64(roles)/each, "roles/op")
	b.ReportMetric(float64(alternatives)/each, "teams/op")
	b.ReportMetric(float64(found)/each, "found/op")
	b.ReportMetric(float64(exact)/each, "exact/op")
}

// threadTime returns the processor time of this thread.
func threadTime(b *testing.B) time.Duration {
	b.Helper()
	const thisThread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(thisThread, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
