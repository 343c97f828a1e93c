package sqlite

import (
	"fmt"
	"testing"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
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
		if _, err := db.KeyByHash(b.Context(), keys[n%len(keys)].Hash); err != nil {
			b.Fatal(err)
		}
	}
}

func windows(limit int) quota.Windows {
	start := time.Unix(1_900_000_000, 0)
	return quota.Windows{Minute: quota.Window{Start: start, Limit: limit}, Month: quota.Window{Start: start, Limit: limit}}
}

func BenchmarkTake(b *testing.B) {
	b.Run("taken", func(b *testing.B) { benchmarkTake(b, newDB(b), 1<<40, true) })
	b.Run("refused", func(b *testing.B) {
		db := newDB(b)
		if _, _, err := db.Take(b.Context(), "key_0", windows(1)); err != nil {
			b.Fatal(err)
		}
		benchmarkTake(b, db, 1, false)
	})
	b.Run("parallel", func(b *testing.B) {
		db := newDB(b)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, taken, err := db.Take(b.Context(), "key_0", windows(1<<40)); err != nil || !taken {
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
