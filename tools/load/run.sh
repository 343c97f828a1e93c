#!/usr/bin/env bash
# Load-tests the whole service: generates N freelancers, loads them, starts the server, and sends varied briefs.
#
#   N=100000 CLIENTS=8 DURATION=20s tools/load/run.sh
#
# MATCHING_ELASTICSEARCH_URL puts the index there, with a prefix that is removed afterward; other settings from the
# environment apply too. FLAGS are further flags for the load program, such as -lexical. REINDEX=1 measures once more,
# with the same number of clients, during a reindex.
set -euo pipefail
cd "$(dirname "$0")/../.."

n=${N:-100000} clients=${CLIENTS:-8} duration=${DURATION:-20s}
work=$(mktemp -d)
server=

end() {
	[ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
	rm -rf "$work"
	[ -z "${MATCHING_ELASTICSEARCH_URL:-}" ] && return
	curl -fsS "$MATCHING_ELASTICSEARCH_URL/_cat/indices/$MATCHING_ELASTICSEARCH_PREFIX*?h=index&expand_wildcards=all" |
		while read -r index; do curl -fsS -o /dev/null -X DELETE "$MATCHING_ELASTICSEARCH_URL/$index"; done
}
trap end EXIT
if [ -n "${MATCHING_ELASTICSEARCH_URL:-}" ]; then
	export MATCHING_ELASTICSEARCH_PREFIX=load-$$-
fi

go build -o "$work/" ./server ./indexer ./tools
"$work/indexer" generate -n "$n" -format csv -o "$work/freelancers.csv"
"$work/indexer" load "$work/freelancers.csv" -data "$work/data"
key=$("$work/server" keys create -data "$work/data" -plan enterprise -name load | grep -o 'svc_[0-9A-Za-z_]*' | head -1)

begin=$(date +%s%N)
"$work/server" -addr 127.0.0.1:0 -data "$work/data" -log-level warn >"$work/out" 2>"$work/log" &
server=$!
until url=$(grep -om1 'http://[0-9.:]*' "$work/out"); do
	kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
	sleep 0.01
done
printf '\nThe server was ready after %d ms.\n\n' $((($(date +%s%N) - begin) / 1000000))

# shellcheck disable=SC2086 # several flags
load() { "$work/tools" load -url "$url" -key "$key" -duration "$duration" -clients "$1" ${FLAGS:-}; }
load 1
load "$clients"
if [ -n "${REINDEX:-}" ]; then
	printf '\nDuring a reindex:\n\n'
	"$work/indexer" reindex -data "$work/data" >"$work/reindex" 2>&1 &
	reindex=$!
	load "$clients"
	wait "$reindex" || { cat "$work/reindex" >&2; exit 1; }
	tail -3 "$work/reindex"
fi
printf 'resident memory of the server: %s\n' "$(awk '/VmRSS/ { printf "%.0f MB", $2 / 1024 }' "/proc/$server/status")"
