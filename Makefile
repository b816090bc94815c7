# make demo   build bin/robust and look at SmallBank, as it is and repaired
# make test   formatting, vet and all tests; needs what `make setup` installs
# make soak   long random comparisons with a server, from SEED on; they print what differs
#
# Both install the missing packages of a Debian or Ubuntu system (Z3's headers;
# for the tests PostgreSQL, MariaDB, Boogie, Graphviz, the program z3, pre-commit
# and Chromium), with sudo where needed.

GO ?= go
APPS = testdata/apps
CHECK = $(GO) tool -modfile=tools.mod

.PHONY: all demo test soak setup setup-demo build clean

all: build

build: bin/robust

bin/robust: setup-demo FORCE
	@mkdir -p bin
	$(GO) build -o $@ ./cmd/robust

FORCE:

# The exit code 3 says "not robust", which the first program is meant to be.
demo: bin/robust
	@echo '== SmallBank, as published =='
	bin/robust check $(APPS)/smallbank || test $$? -eq 3
	@echo
	@echo '== SmallBank, where write_check also writes the saving account =='
	bin/robust check $(APPS)/smallbank-promote-wt

test: setup
	@bad=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$bad" || { echo "not formatted with gofmt:"; echo "$$bad"; exit 1; }
	$(GO) vet ./...
	$(CHECK) staticcheck ./...
	@dead=$$($(CHECK) deadcode -test ./...) || exit 1; test -z "$$dead" || { echo "nothing calls:"; echo "$$dead"; exit 1; }
	$(GO) test -timeout 30m ./...

SEED ?= 1
SOAK_CALLS ?= 20000
SOAK_PAIRS ?= 3000
SOAK_APPS ?= 60
SOAK = $(GO) test -v -timeout 0 -count 1 ./internal/sqlgen/compare -sqlgen.seed=$(SEED)

# First what applications write most; then all types and functions; then all of the statement suite; then MariaDB.
soak: setup
	@failed=0; \
	$(SOAK) -run '^(TestCalls|TestPairs|TestReadCommitted|TestApps)$$' -sqlgen.calls=$(SOAK_CALLS) -sqlgen.pairs=$(SOAK_PAIRS) \
		-sqlgen.committed=$(SOAK_PAIRS) -sqlgen.apps=$(SOAK_APPS) || failed=1; \
	$(SOAK) -run '^(TestCalls|TestPairs|TestReadCommitted)$$' -sqlgen.calls=$(SOAK_CALLS) -sqlgen.pairs=$(SOAK_PAIRS) \
		-sqlgen.committed=$(SOAK_PAIRS) -sqlgen.types=63 -sqlgen.functions -sqlgen.without= || failed=1; \
	$(GO) test -timeout 0 -count 1 ./replay -run '^TestStatements$$' -replay.all || failed=1; \
	$(SOAK) -run MariaDB -sqlgen.mariacalls=$(SOAK_CALLS) -sqlgen.mariapairs=$(SOAK_PAIRS) -sqlgen.mariaapps=$(SOAK_APPS) || failed=1; \
	exit $$failed

# A package is installed only where what it provides is missing.
setup-demo:
	@command -v $(GO) >/dev/null || { echo "Go is missing: install the version that go.mod names, or a newer one"; exit 1; }
	@if ! echo '#include <z3.h>' | $${CC:-cc} -E - >/dev/null 2>&1; then $(call install,libz3-dev gcc); fi

setup: setup-demo
	@if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && ! command -v postgres >/dev/null; then $(call install,postgresql); fi
	@if ! command -v boogie >/dev/null || ! command -v z3 >/dev/null; then $(call install,boogie z3); fi
	@if ! command -v mariadbd /usr/sbin/mariadbd >/dev/null; then $(call install,mariadb-server); fi
	@if ! command -v pre-commit >/dev/null || ! command -v git >/dev/null; then $(call install,pre-commit git); fi
	@if ! command -v chromium >/dev/null; then $(call install,chromium); fi
	@if ! command -v dot >/dev/null; then $(call install,graphviz); fi

install = echo "installing $(1)"; sudo=; test "$$(id -u)" -eq 0 || sudo=sudo; \
	$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq $(1)

clean:
	rm -rf bin
