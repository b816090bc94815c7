# make demo   build bin/robust and look at SmallBank, as it is and repaired
# make test   formatting, vet and all tests, as short ones; needs what `make setup` installs
# make release  static binaries for all platforms with their checksums, in dist
# make bin/z3 Z3 for the playground, from npm
# make beam   the tests of the module beam alone, and its command bin/robust-beam
# make peers PEERS=DIR HISTORIES='FILE…'   checkers of other projects and robust on the same files;
#             FETCH=-fetch clones those that are not in DIR
# make soak   all tests in full, and long random comparisons with a server, from SEED on; they print what differs
#
# Both install the missing packages of a Debian or Ubuntu system (Z3's headers;
# for the tests PostgreSQL, MariaDB, Boogie, Graphviz, the program z3, pre-commit
# and Chromium), with sudo where needed.

GO ?= go
APPS = testdata/apps
CHECK = $(GO) tool -modfile=tools.mod

.PHONY: all demo test staticcheck deadcode beam peers soak setup setup-demo build playground release clean

all: build

build: bin/robust

bin/robust: setup-demo playground FORCE
	@mkdir -p bin
	$(GO) build -tags playground -o $@ ./cmd/robust

# The checker for a browser, which robust playground writes. It is built before the robust that has it inside.
playground:
	$(GO) run ./internal/playground/build -o internal/playground/built

# Z3 for a browser, for robust playground -z3 bin/z3. Without it the playground proves nothing.
bin/z3:
	npm install --no-fund --no-audit --prefix $@ z3-solver@5.2.0

FORCE:

# The exit code 3 says "not robust", which the first program is meant to be.
demo: bin/robust
	@echo '== SmallBank, as published =='
	bin/robust check $(APPS)/smallbank || test $$? -eq 3
	@echo
	@echo '== SmallBank, where write_check also writes the saving account =='
	bin/robust check $(APPS)/smallbank-promote-wt

# The tests run as short ones (-short), which make soak does not. go vet has run when they begin; three packages at a time keep
# two processors busy while tests wait for servers.
test: setup
	@bad=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$bad" || { echo "not formatted with gofmt:"; echo "$$bad"; exit 1; }
	$(GO) vet ./...
	@$(MAKE) --no-print-directory -j 2 staticcheck deadcode
	$(GO) test -short -vet=off -p 3 -timeout 30m ./...
	cd internal/outside && $(GO) vet ./... && $(GO) test -vet=off ./...
	cd beam && $(GO) vet ./... && $(GO) test -short -vet=off ./...

staticcheck:
	$(CHECK) staticcheck ./...

deadcode:
	@dead=$$($(CHECK) deadcode -test ./...) || exit 1; test -z "$$dead" || { echo "nothing calls:"; echo "$$dead"; exit 1; }

beam:
	@mkdir -p bin
	cd beam && $(GO) build -o ../bin/robust-beam ./cmd/robust-beam && $(GO) vet ./... && $(GO) test -vet=off ./...

PEERS_RUNS ?= 5
peers: build
	@test -n "$(PEERS)" -a -n "$(HISTORIES)" || { echo "name a folder for the peers and recorded histories: make peers PEERS=DIR HISTORIES='FILE…'"; exit 2; }
	$(GO) run ./internal/peers/run -dir $(PEERS) -robust bin/robust -runs $(PEERS_RUNS) $(FETCH) $(HISTORIES)

# Binaries without cgo ask the program z3. What git describe says is their version; the
# Containerfile puts the one for linux beside a z3.
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

release: playground
	@rm -rf dist
	@mkdir -p dist
	@for p in $(PLATFORMS); do \
		os=$${p%/*} arch=$${p#*/}; suffix=; test $$os != windows || suffix=.exe; \
		echo "robust-$$os-$$arch$$suffix"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -tags playground -trimpath -buildvcs=auto -ldflags "-s -w -X main.stamp=$(VERSION)" \
			-o dist/robust-$$os-$$arch$$suffix ./cmd/robust || exit 1; \
	done
	@cp Containerfile LICENSE dist/
	@cd dist && sha256sum robust-* > SHA256SUMS

SEED ?= 1
SOAK_CALLS ?= 20000
SOAK_PAIRS ?= 3000
SOAK_APPS ?= 60
SOAK = $(GO) test -v -timeout 0 -count 1 ./internal/sqlgen/compare -sqlgen.seed=$(SEED)

# First all tests in full; then what applications write most; then all types and functions; then all of the statement suite; then MariaDB.
soak: setup
	@failed=0; \
	$(GO) test -timeout 0 -count 1 ./... || failed=1; \
	(cd beam && $(GO) test -timeout 0 -count 1 ./...) || failed=1; \
	$(SOAK) -run '^(TestCalls|TestPairs|TestReadCommitted|TestApps)$$' -sqlgen.calls=$(SOAK_CALLS) -sqlgen.pairs=$(SOAK_PAIRS) \
		-sqlgen.committed=$(SOAK_PAIRS) -sqlgen.apps=$(SOAK_APPS) || failed=1; \
	$(SOAK) -run '^(TestCalls|TestPairs|TestReadCommitted)$$' -sqlgen.calls=$(SOAK_CALLS) -sqlgen.pairs=$(SOAK_PAIRS) \
		-sqlgen.committed=$(SOAK_PAIRS) -sqlgen.types=63 -sqlgen.functions -sqlgen.without= || failed=1; \
	$(GO) test -timeout 0 -count 1 ./internal/replay -run '^TestStatements$$' -replay.all || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/checker/polysi -run '^TestSimulated$$' -polysi.random $(SOAK_CALLS) -polysi.seed $(SEED) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/smt -run '^TestBackends$$' -formulas $(SOAK_CALLS) -formulas.seed $(SEED) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 . -run '^TestBackends$$' -backends.all || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/movers -run '^TestSafeAgainstExploration$$' -runs $(SOAK_CALLS) -seed $(SEED) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/collect -run '^TestRandom$$' -collect.runs $(SOAK_CALLS) -collect.seed $(SEED) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/checker/simdb -run '^TestRandom$$' -simdb.runs $(SOAK_CALLS) -simdb.seed $(SEED) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/checker/follow -run '^TestRandom$$' -follow.random $(SOAK_CALLS) -follow.seed $(SEED) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/tail -run '^TestRandom$$' -tail.random $(SOAK_PAIRS) -tail.seed $(SEED) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/weak -run '^TestRandom$$' -weak.programs $(SOAK_CALLS) -weak.seed $(SEED) || failed=1; \
	(cd beam && $(GO) test -v -timeout 0 -count 1 ./internal/contract -run '^(TestRandom|TestRecorded)$$' -contract.random $(SOAK_CALLS) -contract.seed $(SEED) -contract.all) || failed=1; \
	(cd beam && $(GO) test -v -timeout 0 -count 1 ./internal/pipeline -run '^TestRunner$$' -pipeline.random 2000) || failed=1; \
	$(GO) test -v -timeout 0 -count 1 ./internal/sql/mysql -run '^TestProcedures$$' -procedures $(SOAK_PAIRS) -procedures.seed $(SEED) || failed=1; \
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
	@if ! command -v pdftotext >/dev/null; then $(call install,poppler-utils); fi
	@if ! command -v zsh >/dev/null || ! command -v fish >/dev/null; then $(call install,zsh fish); fi

install = echo "installing $(1)"; sudo=; test "$$(id -u)" -eq 0 || sudo=sudo; \
	$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq $(1)

clean:
	rm -rf bin dist internal/playground/built
