# The commands of the project. Everything but lint and generate works with Go alone; make test brings what else it needs.
GO       ?= go
LINT     := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# Two packages at a time, so that tests with real servers do not starve each other on a small machine.
PARALLEL ?= 2

.DEFAULT_GOAL := help
.PHONY: help run build test test-short test-here test-go e2e lint generate verify bench

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## run usher with no settings at all: http://localhost:8080
	$(GO) run .

build: ## build bin/usher, one static file
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/usher .

test: ## everything, on real servers, with the race detector; installs what is missing on Debian as root
	scripts/testenv.sh $(MAKE) --no-print-directory test-here

test-short: ## the quick tests, for while you work
	$(GO) test -short ./...

# What make test runs once the servers are there.
test-here: test-go e2e

test-go:
	scripts/gofmt.sh
	$(GO) vet ./...
	$(GO) test -race -timeout 20m -p $(PARALLEL) ./...

e2e: build ## the browser test alone
	scripts/e2e.sh

lint: ## golangci-lint, with the import rule
	$(GO) run $(LINT) run

generate: ## pages (templ) and styles (npm) into their committed files
	$(GO) tool templ generate -path web
	cd web/assets && npm ci --no-audit --no-fund && npm run build

verify: generate ## generate and format must leave nothing to commit
	scripts/gofmt.sh
	git diff --exit-code -- '*_templ.go' web/static
	@new=$$(git ls-files --others --exclude-standard -- '*_templ.go' web/static); \
	if [ -n "$$new" ]; then printf 'generated but not committed:\n%s\n' "$$new" >&2; exit 1; fi

bench: ## measure holds and settlement on this machine
	$(GO) run . bench hold
	$(GO) run . bench settle
