package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/store"
)

// BenchmarkRecord writes one entry of the audit log in a transaction, and a hundred, as a stream of changes does.
func BenchmarkRecord(b *testing.B, open func(testing.TB) *store.DB) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := open(b)
			events := make([]audit.Event, n)
			for i := range events {
				events[i] = audit.Event{
					At: time.Now(), Actor: "key_cnytgGuSNMEA", Account: "acc_3TP4RVSFTXOE", Action: audit.FreelancerPatched,
					Subject: fmt.Sprint("fl-", i), Detail: "hourly_rate, availability", Address: "192.0.2.7",
				}
			}

			for b.Loop() {
				if err := db.AuditLog.Record(b.Context(), events...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkVerify verifies a chain of ten thousand records.
func BenchmarkVerify(b *testing.B, open func(testing.TB) *store.DB) {
	const records = 10_000
	db := open(b)
	events := make([]audit.Event, records)
	for i := range events {
		events[i] = event(i, "acc_3TP4RVSFTXOE")
	}
	if err := db.AuditLog.Record(b.Context(), events...); err != nil {
		b.Fatal(err)
	}

	for b.Loop() {
		if report, err := db.AuditLog.Verify(b.Context(), chain.Main, nil); err != nil || report.Records != records {
			b.Fatal(report, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
}
