#!/usr/bin/env bash
# Compares this version with an older one by kinds of requests: matches briefs with as many words as real ones, in
# process, in alternation, and prints the processor time of a request at p50 and p99 with the ratios of the medians.
#
#   go test -c -o old.test ./match                        in a work tree of the older version
#   OLD=old.test N=1000000 tools/load/kinds.sh
#
# OLD may be empty. KINDS is a pattern of kinds, TIMES the number of requests of each kind in one of the ROUNDS. DATA is
# a folder that keeps the index of the N freelancers; both versions must be able to read it.
set -euo pipefail
cd "$(dirname "$0")/../../match"

n=${N:-100000} kinds=${KINDS:-.*} times=${TIMES:-200} rounds=${ROUNDS:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${DATA:-$work/data}
mkdir -p "$data"
go test -c -o "$work/new.test" .

# Preemption by signals costs a thread that often waits for the processor up to a third of its time.
export GODEBUG=asyncpreemptoff=1
measure() {
	"$2" -test.run '^$' -test.bench "^BenchmarkKinds\$/^($kinds)\$" -test.benchtime "${times}x" -recall-documents "$n" \
		-kinds-data "$data" | awk -v version="$1" '/^BenchmarkKinds/ {
			split($1, name, "/")
			for (i = 3; i < NF; i += 2) value[$(i + 1)] = $i
			print version, name[2], value["p50-cpu-ms"], value["p99-cpu-ms"]
		}'
}
for _ in $(seq "$rounds"); do
	if [ -n "${OLD:-}" ]; then measure old "$(cd ..; realpath "$OLD")"; fi
	measure new "$work/new.test"
done | tee "$work/rows"

printf '\n%-14s %10s %10s %10s\n' kind 'old, ms' 'new, ms' ratio
awk '{
	key = $1 SUBSEP $2
	sum[key] += $3
	runs[key]++
	if (!seen[$2]++) kinds[++count] = $2
} END {
	for (i = 1; i <= count; i++) {
		old = runs["old", kinds[i]] ? sum["old", kinds[i]] / runs["old", kinds[i]] : 0
		now = sum["new", kinds[i]] / runs["new", kinds[i]]
		printf "%-14s %10.2f %10.2f %10s\n", kinds[i], old, now, old ? sprintf("%.2f", now / old) : "-"
	}
}' "$work/rows"
