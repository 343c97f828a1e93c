package source

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/input"
)

// BenchmarkRows reads 20,000 simple rows of about 200 bytes.
func BenchmarkRows(b *testing.B) {
	const rows = 20_000
	var table, objects strings.Builder
	table.WriteString("id,name,job_title,skills,experience,rating,hourly_rate,profile_url,availability,total_sales\n")

	for i := range rows {
		fmt.Fprintf(&table, "f-%d,Person %d,Senior Go Developer,\"Go,PostgreSQL,Docker,Kubernetes,gRPC\",%d,4.%d,%d.50,"+
			"https://example.com/freelancers/%d,true,%d\n", i, i, i%20, i%10, 10+i%90, i, i%300)
		fmt.Fprintf(&objects, `{"id":"f-%d","name":"Person %d","jobTitle":"Senior Go Developer","skills":["Go","PostgreSQL",`+
			`"Docker","Kubernetes","gRPC"],"experience":%d,"rating":4.%d,"hourlyRate":%d.5,`+
			`"profileUrl":"https://example.com/freelancers/%d","availability":true,"totalSales":%d}`+"\n",
			i, i, i%20, i%10, 10+i%90, i, i%300)
	}

	for _, bench := range []struct{ name, content string }{{"csv", table.String()}, {"ndjson", objects.String()}} {
		b.Run(bench.name, func(b *testing.B) {
			path := write(b, bench.content)
			b.SetBytes(int64(len(bench.content)))
			b.ReportAllocs()

			for b.Loop() {
				got, err := countRows(b.Context(), path)
				if err != nil || got != rows {
					b.Fatal(got, err)
				}
			}

			b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func countRows(ctx context.Context, path string) (n int, err error) {
	f, err := Open(input.FromPath(path), Options{})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for row, err := range f.Rows(ctx) {
		if err != nil {
			return n, err
		}
		if len(row.Faults)+len(row.Warnings) > 0 {
			return n, fmt.Errorf("row %+v", row)
		}
		n++
	}
	return n, nil
}
