#!/usr/bin/env bash
# Compares this version with an older one by kinds of requests: matches briefs with as many words as real ones, in
# process, in alternation, and prints how long requests take at p50 and p99 and their processor time at p50. Each brief
# counts with the shortest of its turns, so TIMES should be a multiple of the 200 briefs.
#
#   go test -c -o old.test ./match                        in a work tree of the older version
#   OLD=old.test N=1000000 tools/load/kinds.sh
#
# OLD may be empty. KINDS is a pattern of kinds, TIMES the number of requests of each kind in one of the ROUNDS. DATA is
# a folder that keeps the index of the N freelancers; both versions must be able to read it.
set -euo pipefail
cd "$(dirname "$0")/../../match"

n=${N:-100000} kinds=${KINDS:-.*} times=${TIMES:-400} rounds=${ROUNDS:-2}
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
			print version, name[2], value["p50-ms"], value["p99-ms"], value["p50-cpu-ms"]
		}'
}
for _ in $(seq "$rounds"); do
	if [ -n "${OLD:-}" ]; then measure old "$(cd ..; realpath "$OLD")"; fi
	measure new "$work/new.test"
done | tee "$work/rows"

printf '\n%-14s %26s %26s %26s\n' kind 'p50: old, new, ratio' 'p99: old, new, ratio' 'processor: old, new, ratio'
awk '{
	if (!seen[$2]++) kinds[++count] = $2
	runs[$1, $2]++
	for (i = 3; i <= 5; i++) sum[$1, $2, i] += $i
} END {
	for (k = 1; k <= count; k++) {
		line = sprintf("%-14s", kinds[k])
		for (i = 3; i <= 5; i++) {
			old = runs["old", kinds[k]] ? sum["old", kinds[k], i] / runs["old", kinds[k]] : 0
			now = sum["new", kinds[k], i] / runs["new", kinds[k]]
			line = line sprintf(" %8.2f %8.2f %8s", old, now, old ? sprintf("%.2f", now / old) : "-")
		}
		print line
	}
}' "$work/rows"
