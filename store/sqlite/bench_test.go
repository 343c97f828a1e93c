package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/store/storetest"
)

func BenchmarkKeyByHash(b *testing.B) {
	db := newDB(b)
	var keys []apikey.Key
	for n := range 1000 {
		keys = append(keys, key(fmt.Sprint(n)))
	}
	insert(b, db, keys...)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if _, err := db.Keys.FindByHash(b.Context(), keys[n%len(keys)].Hash); err != nil {
			b.Fatal(err)
		}
	}
}

func windows(limit int) quota.Windows {
	start := time.Unix(1_900_000_000, 0)
	return quota.Windows{Minute: quota.Window{Start: start, Limit: limit}, Month: quota.Window{Start: start, Limit: limit}}
}

func BenchmarkTake(b *testing.B) {
	b.Run("taken", func(b *testing.B) { benchmarkTake(b, newDB(b).Quotas, 1<<40, true) })
	b.Run("refused", func(b *testing.B) {
		db := newDB(b)
		if _, _, err := db.Quotas.Take(b.Context(), "key_0", windows(1)); err != nil {
			b.Fatal(err)
		}
		benchmarkTake(b, db.Quotas, 1, false)
	})
	b.Run("parallel", func(b *testing.B) {
		db := newDB(b)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, taken, err := db.Quotas.Take(b.Context(), "key_0", windows(1<<40)); err != nil || !taken {
					b.Error(taken, err)
				}
			}
		})
	})
}

func benchmarkTake(b *testing.B, take quota.Store, limit int, want bool) {
	b.ReportAllocs()
	for b.Loop() {
		if _, taken, err := take.Take(b.Context(), "key_0", windows(limit)); err != nil || taken != want {
			b.Fatal(taken, err)
		}
	}
}

// An account of the largest limited plan has seen 4,000 freelancers. A match shows it 10 more, or again.
func BenchmarkAddViews(b *testing.B) {
	const seen, limit, page = 4000, 5000, 10
	path := filepath.Join(b.TempDir(), "service.db")
	ctx := b.Context()
	db := openFile(b, path)
	views := func(first int) []uint64 {
		list := make([]uint64, page)
		for i := range list {
			list[i] = uint64(first+i) * 0x9e3779b97f4a7c15 // spread over all values, like hashes
		}
		return list
	}
	for first := 0; first < seen; first += page {
		if _, _, err := db.Views.AddViews(ctx, "acc_1", "2031-05-17", views(first), limit); err != nil {
			b.Fatal(err)
		}
	}

	b.Run("seen", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, added, err := db.Views.AddViews(ctx, "acc_1", "2031-05-17", views(1000), limit); err != nil || added != 0 {
				b.Fatal(added, err)
			}
		}
	})

	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		raw := connectRaw(b, path)
		first := seen
		for b.Loop() {
			if first == limit { // as an account that has seen 4,000
				b.StopTimer()
				first = seen

				if _, err := raw.ExecContext(ctx,
					"UPDATE view_days SET freelancers = substr(freelancers, 1, $1)", seen*8); err != nil {
					b.Fatal(err)
				}

				b.StartTimer()
			}

			if _, added, err := db.Views.AddViews(ctx, "acc_1", "2031-05-17", views(first), limit); err != nil || added != page {
				b.Fatal(added, err)
			}
			first += page
		}
	})
}

func BenchmarkRecord(b *testing.B) { storetest.BenchmarkRecord(b, newDB) }
func BenchmarkVerify(b *testing.B) { storetest.BenchmarkVerify(b, newDB) }
