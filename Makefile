# Commands for developers and CI. `make` lists the targets.

GOLANGCI_LINT_VERSION := v2.15.0
VALE_VERSION := v3.21.0
GOTESTSUM_VERSION := v1.13.0
DOCKER_COMPOSE_VERSION := v5.0.2
GOVULNCHECK_VERSION := v1.9.0
BIN := $(CURDIR)/bin

# A machine under load may be many times slower than a quiet one; no test run should fail for that.
TIMEOUT := 60m
# With TIMINGS=dir, every test run writes its events there, and `make slowest` reads them.
ifdef TIMINGS
GO_TEST = $(BIN)/gotestsum --format pkgname --jsonfile $(TIMINGS)/$@.json -- -timeout $(TIMEOUT)
TEST_RUNNER := $(BIN)/gotestsum
else
GO_TEST = go test -timeout $(TIMEOUT)
endif

# Flags of tests that run after `make test`: the code has been vetted, and linking is quicker without DWARF.
AGAIN := -vet=off -ldflags=-w

.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build server and indexer into bin/
	go build -o $(BIN)/ ./server ./indexer

test: $(TEST_RUNNER) ## run the tests, like the README's command
	$(GO_TEST) ./...

race: $(TEST_RUNNER) ## run the tests with the race detector, on smaller inputs
	$(GO_TEST) $(AGAIN) -race -short ./...

slowest: $(BIN)/gotestsum ## print the ten slowest tests of the runs recorded in TIMINGS
	cat $(TIMINGS)/*.json | $(BIN)/gotestsum tool slowest --num 10 --jsonfile /dev/stdin

# Files whose prose, and files whose line lengths, `make lint` checks. golangci-lint checks the lines of Go files.
PROSE = $(shell git ls-files '*.go' '*.md' '*.html' '*.yaml' '*.yml')
WRAPPED = $(shell git ls-files '*.md' '*.html' '*.css' '*.js' '*.yaml' '*.yml' Makefile .ci ':!*/testdata/*.html')

lint: $(BIN)/golangci-lint $(BIN)/vale ## check style, prose, the dependency rule, and go.mod
	$(BIN)/golangci-lint run ./...
	go run ./tools/docstyle .
	@$(BIN)/vale --output line $(PROSE)
	@! LC_ALL=C.UTF-8 grep -HnP '^(?!\||.*https?:| +"summary").{121,}' $(WRAPPED)
	go mod tidy -diff

licenses: ## check that all dependencies have permissive licenses
	go run ./tools/licenses

vulnerabilities: $(BIN)/govulncheck ## look for known vulnerabilities in the code and its dependencies
	@.ci/vulnerabilities $(BIN)/govulncheck

compose: $(BIN)/docker-compose ## check docker-compose.yml with docker compose itself; needs no Docker engine
	$(BIN)/docker-compose --profile tools --profile shared config --quiet
	@if MATCHING_LISTEN=0.0.0.0 $(BIN)/docker-compose config --quiet 2>/dev/null; then \
		echo "docker-compose.yml publishes plain HTTP to other machines" >&2; exit 1; fi

# The tests of ./integration that need Redis, PostgreSQL or a browser, and no Elasticsearch.
SERVICES := ^Test(Replicas|Outage|Dashboard|Candidate|Proxy)

# The tests of ./integration that need a model server.
MODEL := ^TestModel

integration: $(TEST_RUNNER) ## run the suites that need Elasticsearch (CONTRIBUTING.md says where it may run)
	$(GO_TEST) $(AGAIN) -count=1 -tags integration -skip '$(SERVICES)|$(MODEL)' ./integration/ ./engine/elastic/...

integration-attacks: $(TEST_RUNNER) ## attack the built programs: slow clients, damaged files, full disks
	$(GO_TEST) $(AGAIN) -count=1 -tags integration ./integration/attacks/

soak: ## send mixed requests through kills, a full disk and outages for SOAK (10m); as root, after `make services`
	go test -count=1 -timeout 0 -tags 'integration soak' -run TestSoak -v ./integration/

integration-container: $(TEST_RUNNER) ## run only the suite that needs a container, with TLS and a password
	MATCHING_TEST_DOCKER=1 $(GO_TEST) $(AGAIN) -count=1 -tags integration -run TestContainer ./integration/

elasticsearch: ## start Elasticsearch on a Debian without Docker, as root; prints what to export
	@.ci/elasticsearch up

elasticsearch-down: ## stop it
	.ci/elasticsearch down

integration-stores: $(TEST_RUNNER) ## run the suites of stores, quotas and queries on real Redis and PostgreSQL servers
	go test -timeout $(TIMEOUT) $(AGAIN) -count=1 -tags integration -run PostgreSQL ./indexer/
	$(GO_TEST) $(AGAIN) -count=1 -tags integration ./store/... ./access/quota/... ./indexer/query/

integration-services: $(TEST_RUNNER) ## run the suites that need the servers and browser of `make services`
	$(GO_TEST) $(AGAIN) -count=1 -tags integration -run '$(SERVICES)' ./integration/
	$(GO_TEST) $(AGAIN) -count=1 -run Tesseract ./resume/pdf

services: ## start Redis and PostgreSQL on a Debian, as root, and install a browser; prints what to export
	@.ci/services up

services-down: ## stop them
	.ci/services down

integration-model: $(TEST_RUNNER) ## run the suite that needs the model server of `make model`
	$(GO_TEST) $(AGAIN) -count=1 -tags integration -run '$(MODEL)' ./integration/

model: ## start llama.cpp's server with a tiny random model on a Debian; prints what to export
	@.ci/model up

model-down: ## stop it
	.ci/model down

fuzz: ## run every fuzz test for FUZZTIME (20000x inputs, or 30s)
	@for package in $$(go list ./...); do \
		for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$name"; \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime $${FUZZTIME:-20000x} -fuzzminimizetime 20x $$package || exit 1; \
		done; \
	done

fuzz-api: ## send generated requests to the built server and compare the responses with openapi.yaml
	.ci/fuzz-api

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

golden: ## rewrite the golden files; review the diff
	@for package in $$(grep -rlE --include='*_test.go' 'flag.Bool\("update"|resumetest.Golden' . | xargs -n1 dirname | \
		sort -u); do \
		go test $$package -update || exit 1; \
	done

taxonomy: ## build the skill taxonomy from SOURCES=dir (mappings/README.md)
	go run ./mappings/build -sources $(SOURCES)

vectors: ## distill and train the word vectors, with SOURCES=dir; takes a quarter of an hour
	python3 -m venv $(BIN)/distill && $(BIN)/distill/bin/pip install -q -r mappings/distill/requirements.txt
	$(BIN)/distill/bin/python mappings/distill/distill.py --sources $(SOURCES) --out $(BIN)/distill/distilled.bin
	$(BIN)/distill/bin/python mappings/distill/extend.py --sources $(SOURCES) --base $(BIN)/distill/distilled.bin

demo: ## start the server with generated freelancers
	go run ./server -demo

load: ## run the load test: N freelancers (100000), CLIENTS (8), DURATION (20s)
	tools/load/run.sh

eval: ## evaluate the ranking on the committed judged set
	go test -count=1 -v -run TestJudged ./integration/

# The grades ignore price, rating and availability.
UNJUDGED := -drop budget_range,budget_type,complexity,timeline

eval-relevance: ## evaluate the ranking on the real judged set, or on JUDGED=dir; ARGS go to the command
	go run ./tools relevance judge $(UNJUDGED) $(if $(JUDGED),-judged $(JUDGED)) $(ARGS)
	go run ./tools relevance ablate $(UNJUDGED) $(if $(JUDGED),-judged $(JUDGED))

relevance-reports: ## rewrite the reports in docs/relevance from the real judged set
	@for command in judge ablate fit levels; do \
		go run ./tools relevance $$command $(UNJUDGED) > docs/relevance/$$command.txt || exit 1; \
	done
	go run ./tools relevance judge > docs/relevance/judge-all-fields.txt

eval-resumes: ## evaluate the resume parser on generated files, and on the real ones if present
	go run ./tools resumes eval

eval-interviews: ## evaluate the interview judges, and the model at MATCHING_LLM_URL if set
	go run ./tools interviews eval $(ARGS)

resume-fixtures: ## regenerate the resume fixtures, as root on a Debian
	apt-get install -y --no-install-recommends weasyprint libreoffice-writer-nogui \
		fonts-liberation fonts-noto-core fonts-noto-cjk fonts-font-awesome
	go run ./tools resumes generate

check: build lint test race ## everything that must pass before a change lands

# Tools are installed at the versions above, and again when this file changes.
$(BIN)/golangci-lint: Makefile
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	@touch $@

$(BIN)/vale: Makefile
	GOBIN=$(BIN) go install github.com/vale-cli/vale/v3/cmd/vale@$(VALE_VERSION)
	@touch $@

$(BIN)/gotestsum: Makefile
	GOBIN=$(BIN) go install gotest.tools/gotestsum@$(GOTESTSUM_VERSION)
	@touch $@

$(BIN)/govulncheck: Makefile
	GOBIN=$(BIN) go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	@touch $@

$(BIN)/docker-compose: Makefile
	GOBIN=$(BIN)/compose go install github.com/docker/compose/v5/cmd@$(DOCKER_COMPOSE_VERSION)
	mv $(BIN)/compose/cmd $@

.PHONY: help build test race slowest lint licenses vulnerabilities compose integration integration-attacks \
	integration-container integration-stores integration-services integration-model model model-down soak \
	elasticsearch elasticsearch-down services services-down fuzz fuzz-api bench golden taxonomy vectors demo load eval \
	eval-relevance eval-resumes eval-interviews relevance-reports resume-fixtures check
