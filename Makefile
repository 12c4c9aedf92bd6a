# Needs Go and nothing else; `make test-forge` says what it needs, and
# `make devcloud` needs Debian 12 and root.

GO ?= go
# Without this tag, kustomize imports the package plugin, and a build with cgo keeps every method of every package: it becomes twice as large.
export GOFLAGS := $(GOFLAGS) -tags=kustomize_disable_go_plugin_support
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/stackreeve, a static binary
	GO=$(GO) deploy/build bin/stackreeve '$(VERSION)'

# Tests that the race detector makes long and finds nothing in begin with testcost.NotUnderRace: they run without it, beside the others.
UNRACED = $(shell grep -rh -A1 '^func Test' --include='*_test.go' cmd internal | grep -B1 'testcost.NotUnderRace(t)' | sed -n 's/^func \(Test[A-Za-z0-9_]*\).*/\1/p' | paste -s -d '|')
UNRACED_IN = $(shell grep -rl '^	testcost.NotUnderRace(t)' --include='*_test.go' cmd internal | xargs -n 1 dirname | sort -u | sed 's|^|./|')
# Packages with long tests begin first, so that none of them is left to run alone in the end.
LONG_IN = $(shell grep -rl '^	testcost.\(Long\|NotUnderRace\)(t)' --include='*_test.go' cmd internal | xargs -n 1 dirname | sort | uniq -c | sort -rn | sed 's|.* |./|')
# While one package waits for what is to be refused or retried, another one can use its core.
PACKAGES_AT_ONCE := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

.PHONY: test
test: export GOGC = 400
test: ## run the tests that take no longer than some seconds (a few minutes on two cores, much of them to link; no debugger needs these binaries)
	$(GO) test -p $(PACKAGES_AT_ONCE) -ldflags=-w -exec '"$(CURDIR)/.ci/test-binary"' ./...

.PHONY: test-all
test-all: export STACKREEVE_TEST_LONG = 1
test-all: ## run all tests that need no cloud, the long ones too, with the race detector (20 min on two cores)
	$(GO) test -timeout 30m -run '^($(UNRACED))$$$$' $(UNRACED_IN) & unraced=$$!; \
	$(GO) test -race -timeout 30m -p $(PACKAGES_AT_ONCE) $(LONG_IN) ./...; raced=$$?; \
	wait $$unraced && exit $$raced

.PHONY: unraced
unraced:
	@echo '$(UNRACED)'

.PHONY: test-forge
test-forge: ## run the tests on a real Gitea and a judged GitHub (git, npm, a C compiler)
	STACKREEVE_TEST_FORGE=1 STACKREEVE_TEST_LONG=1 $(GO) test -timeout 30m ./internal/forge/... ./internal/inspect ./internal/source/webhook
	STACKREEVE_TEST_FORGE=1 STACKREEVE_TEST_LONG=1 $(GO) test -timeout 30m -run PullRequests ./cmd/agent

.PHONY: test-kubectl
test-kubectl: ## read an agent with real kubectls (built here, and Debian's)
	.ci/kubectl

.PHONY: test-sops
test-sops: ## judge encrypted manifests by the real sops and age (Debian package gpg)
	GO=$(GO) .ci/sops

.PHONY: test-kustomize
test-kustomize: ## judge what is made of kustomizations by the real kustomize
	GO=$(GO) .ci/kustomize

.PHONY: test-registry
test-registry: ## follow artifacts in a real registry, with each login and signature
	GO=$(GO) .ci/registry

.PHONY: test-cosign
test-cosign: ## verify what the real cosign signs in a real registry, with each kind of key and in each layout (builds it once: 10 min of one core); UPDATE=1 records it for other tests
	GO=$(GO) .ci/cosign

.PHONY: test-vault
test-vault: ## read values of secrets from a real Vault, with each login (builds it once: 3 min on two cores)
	GO=$(GO) .ci/vault

.PHONY: test-gitlab
test-gitlab: ## judge the stand-in for GitLab, webhooks and the CI component by GitLab's own client and schema, glab and python-gitlab (npm, Debian packages rsync and python3-gitlab)
	GO=$(GO) .ci/gitlab

.PHONY: test-otlp
test-otlp: ## read traces with the decoder of the OpenTelemetry collector
	cd tools/otlp && $(GO) test -count 1 ./...

.PHONY: mutants
mutants: MUTATED = $(or $(PACKAGE),./internal/reconcile/rollout)
mutants: ## change PACKAGE (./internal/reconcile/rollout) in each place, or in MUTANTS of them, one at a time, and say which changes no test of TESTS (PACKAGE) notices
	cd tools/mutants && $(GO) test . && $(GO) run . -n $(or $(MUTANTS),0) ../.. $(MUTATED) $(or $(TESTS),$(MUTATED))

.PHONY: test-kro
test-kro: ## compare what definitions expand to with what kro makes of them
	cd tools/kro && $(GO) test -count 1 ./...

.PHONY: test-page
test-page: ## read an agent's page in a real Chromium (npm, Debian package chromium)
	.ci/page

.PHONY: test-k-orc
test-k-orc: ## replay K-ORC's own end-to-end cases on the simulator (downloads its sources)
	GO=$(GO) .ci/k-orc

.PHONY: test-etcd
test-etcd: ## run on etcd 3.4 and 3.6 what clusters of it, and several agents, rely on (Debian packages; 3.6 is built once)
	GO=$(GO) .ci/etcd

.PHONY: test-events
test-events: ## read notifications from a real RabbitMQ (Debian packages)
	GO=$(GO) .ci/events

.PHONY: test-leases
test-leases: ## ask a real etcd and a real API server of Kubernetes for what several agents rely on (builds both once)
	GO=$(GO) .ci/leases

.PHONY: test-agents
test-agents: ## kill, stop and cut off three agents on a real etcd for STACKREEVE_TEST_AGENTS_FOR (1m) (Debian package etcd-server)
	GO=$(GO) .ci/agents

.PHONY: campaign
campaign: export STACKREEVE_TEST_LONG = 1
campaign: SHELL := bash
campaign: .SHELLFLAGS := -o pipefail -c
campaign: ## spoil one request of a whole agent in each of CASES (2000) cases that SEED (1) chooses; TABLE=FILE writes the table of docs/reliability.md
	$(GO) test -v -count 1 -timeout 8h -run 'TestCampaign|TestDay' ./internal/campaign -campaign.cases=$(or $(CASES),2000) -campaign.seed=$(or $(SEED),1) -campaign.table='$(TABLE)' | grep -v '^ *\(=== \|--- PASS\)'

.PHONY: lint
lint: prose ## run the linters
	$(GO) tool -modfile=tools/go.mod golangci-lint run ./...

.PHONY: prose
prose: ## check the English of pages and comments (builds Vale once; a C compiler)
	GO=$(GO) .ci/prose

.PHONY: fuzz
fuzz: ## fuzz every parser, FUZZTIME (60s) each
	.ci/fuzz

.PHONY: dependencies
dependencies: ## list what is known of the dependencies: vulnerabilities, newer versions
	.ci/dependencies

.PHONY: update
update: ## rewrite the golden files
	$(GO) test ./internal/reconcile/plan/decide ./internal/manifest ./internal/report ./internal/report/comment ./docs -update

.PHONY: bench
bench: ## run the benchmarks, and write their figures into docs/benchmarks.md (BENCH=Create: only those)
	mkdir -p bin
	$(GO) test -run '^$$' -bench '$(or $(BENCH),.)' -benchtime $(or $(BENCHTIME),3x) -timeout 60m ./internal/reconcile/engine ./internal/manifest ./internal/source ./cmd/agent >bin/bench.txt
	cd tools/bench && $(GO) run . ../../docs/benchmarks.md <../../bin/bench.txt

.PHONY: demo
demo: ## show a complete example on an embedded cloud
	$(GO) run ./cmd/agent demo

.PHONY: dist
dist: ## build archives, packages, lists of contents and checksums into dist/
	.ci/dist

.PHONY: test-dist
test-dist: dist ## open what `make dist` has built (dpkg-deb, rpm)
	STACKREEVE_TEST_DIST=dist $(GO) test -count=1 -run '^TestDist' ./deploy

.PHONY: test-monitoring
test-monitoring: ## check the alert rules with promtool (Debian package prometheus)
	promtool check rules deploy/monitoring/alerts.yaml
	promtool test rules deploy/monitoring/alerts_test.yaml

.PHONY: test-terraform
test-terraform: ## move what Terraform's provider has made on the devcloud to us (builds OpenTofu and the provider once)
	GO=$(GO) .ci/terraform

.PHONY: devcloud
devcloud: ## start a real OpenStack on this machine (Debian 12, root)
	deploy/devcloud/up

.PHONY: test-cloud
test-cloud: ## run on the devcloud what every change must pass there
	deploy/devcloud/test quick

.PHONY: test-cloud-stock
test-cloud-stock: ## run what differs where Octavia is as Debian ships it
	STACKREEVE_DEVCLOUD_STOCK=1 deploy/devcloud/up
	deploy/devcloud/test stock

.PHONY: test-cloud-all
test-cloud-all: ## run everything on the devcloud, bad weather and kills too (hours)
	deploy/devcloud/test

.PHONY: test-seeds
test-seeds: ## make real machines of published manifests, as they are
	deploy/devcloud/test seeds

.PHONY: test-cloud-k-orc
test-cloud-k-orc: ## replay two of K-ORC's own cases of servers on the devcloud
	GO=$(GO) deploy/devcloud/test k-orc

.PHONY: test-guests
test-guests: ## change a group of real machines while it is used
	STACKREEVE_DEVCLOUD_GUESTS=1 deploy/devcloud/up
	deploy/devcloud/test guests

.PHONY: test-clusters
test-clusters: ## run clusters of etcd on 3.4, 3.5 and 3.6, and on real machines that fail (four hours)
	GO=$(GO) .ci/etcd 3.4.23 3.5.35 3.6.16
	STACKREEVE_DEVCLOUD_GUESTS=1 deploy/devcloud/up
	deploy/devcloud/test clusters

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist
