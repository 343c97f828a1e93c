# What developers and CI run. `make` alone lists the targets.

GOLANGCI_LINT_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
DOCKER_COMPOSE_VERSION := v5.0.2
BIN := $(CURDIR)/bin

.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build server and indexer into bin/
	go build -o $(BIN)/ ./server ./indexer

test: ## run the tests, as the README says
	go test ./...

race: ## run the tests with the race detector
	go test -race ./...

lint: $(BIN)/golangci-lint ## check style, the dependency rule, and go.mod
	$(BIN)/golangci-lint run ./...
	go mod tidy -diff

compose: $(BIN)/docker-compose ## check docker-compose.yml, as docker compose reads it; needs no Docker
	$(BIN)/docker-compose --profile tools --profile shared config --quiet

# The tests of ./integration that need a Redis, a PostgreSQL or a browser, and no Elasticsearch.
SERVICES := ^Test(Replicas|Outage|Dashboard|Proxy)

integration: ## run the suites on a real Elasticsearch: a container, or the node in MATCHING_TEST_ELASTICSEARCH_URL
	go test -count=1 -p 1 -timeout 20m -tags integration -skip '$(SERVICES)' ./integration/... ./engine/elastic/...

integration-container: ## run only what needs a container, with TLS and a password
	MATCHING_TEST_DOCKER=1 go test -count=1 -timeout 10m -tags integration -run TestContainer -v ./integration/

elasticsearch: ## start a node for the suites on a Debian without Docker, as root; prints what to export
	@.ci/elasticsearch up

elasticsearch-down: ## end that node
	.ci/elasticsearch down

integration-services: ## run the suites on a real Redis and PostgreSQL, and in a browser, which `make services` prepares
	go test -count=1 -p 1 -timeout 10m -tags integration ./store/... ./access/quota/...
	go test -count=1 -timeout 20m -tags integration -run '$(SERVICES)' ./integration/

services: ## start Redis and PostgreSQL for the suites on a Debian, as root, and fetch a browser; prints what to export
	@.ci/services up

services-down: ## end them
	.ci/services down

fuzz: ## fuzz every fuzz test for FUZZTIME (20000x: inputs; 30s: seconds)
	@for package in $$(go list ./...); do \
		for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$name"; \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime $${FUZZTIME:-20000x} -fuzzminimizetime 20x $$package || exit 1; \
		done; \
	done

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

golden: ## rewrite the golden files; review the difference
	@for package in $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u); do \
		go test $$package -update || exit 1; \
	done

taxonomy: ## build the skill taxonomy from SOURCES=dir (mappings/README.md)
	go run ./mappings/build -sources $(SOURCES)

vectors: ## distil the word vectors from the sentence model, with SOURCES=dir (mappings/README.md); ten minutes
	python3 -m venv $(BIN)/distill && $(BIN)/distill/bin/pip install -q -r mappings/distill/requirements.txt
	$(BIN)/distill/bin/python mappings/distill/distill.py --sources $(SOURCES)

demo: ## start the server with generated freelancers
	go run ./server -demo

load: ## measure the service under load: N freelancers (100000), CLIENTS (8), DURATION (20s)
	tools/load/run.sh

eval: ## judge the ranking on the committed judged set
	go test -count=1 -v -run TestJudged ./integration/

# The grades ignore price, rating and availability.
UNJUDGED := -drop budget_range,budget_type,complexity,timeline

eval-relevance: ## judge the ranking on the real judged set, or on JUDGED=dir; ARGS are for the command
	go run ./tools/relevance judge $(UNJUDGED) $(if $(JUDGED),-judged $(JUDGED)) $(ARGS)
	go run ./tools/relevance ablate $(UNJUDGED) $(if $(JUDGED),-judged $(JUDGED))

relevance-reports: ## write the reports in docs/relevance anew, from the real judged set
	@for command in judge ablate fit levels; do \
		go run ./tools/relevance $$command $(UNJUDGED) > docs/relevance/$$command.txt || exit 1; \
	done
	go run ./tools/relevance judge > docs/relevance/judge-all-fields.txt

eval-resumes: ## judge the parser of resumes on generated files, and on the real ones where they are
	go run ./tools/resumes eval

eval-interviews: ## judge those who judge answers in interviews, the model of MATCHING_LLM_URL too where it is set
	go run ./tools/interviews eval $(ARGS)

resume-fixtures: ## write the generated resumes anew, as root on a Debian
	apt-get install -y --no-install-recommends weasyprint libreoffice-writer-nogui fonts-liberation fonts-noto-core fonts-noto-cjk fonts-font-awesome
	go run ./tools/resumes generate

check: build lint test race ## all that must pass before a change lands

$(BIN)/golangci-lint: Makefile
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	@touch $@

$(BIN)/docker-compose: Makefile
	GOBIN=$(BIN)/compose go install github.com/docker/compose/v5/cmd@$(DOCKER_COMPOSE_VERSION)
	mv $(BIN)/compose/cmd $@

.PHONY: help build test race lint compose integration integration-container integration-services elasticsearch elasticsearch-down services services-down fuzz bench golden taxonomy demo load eval eval-relevance eval-resumes eval-interviews relevance-reports resume-fixtures check vectors
