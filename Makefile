# Conch. `make help` lists the targets.
SHELL := /bin/bash
BIN ?= build/bin
TAGS := desktop,production,webkit2_41
VERSION ?=
LDFLAGS := -s -w $(if $(VERSION),-X conch/internal/cli.version=$(VERSION))

.PHONY: help deps build conch conch-host release play test unit race fuzz js e2e soak lint bench bench-docs barewindow generate wpt clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# What the build and the tests need from Debian 12.
BUILD_PACKAGES := build-essential pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev
RUN_PACKAGES := gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-libav fonts-dejavu-core xvfb openbox xdotool imagemagick x11-utils
TEST_PACKAGES := dbus dbus-x11 at-spi2-core gnome-keyring libsecret-tools libglib2.0-bin chromium webkit2gtk-driver nginx-light prosody nats-server procps iproute2 nftables unzip zip brotli wine wine64 gcc-mingw-w64-x86-64-win32
TEST_PACKAGES += osslsigncode openssl appstream desktop-file-utils nsis

deps: ## install what building, playing and testing need (apt)
	@./build/deps.sh $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES)

build: conch conch-host ## build both programs into build/bin

conch: ## build the window program
	@mkdir -p $(BIN)
	go build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(BIN)/conch .
	go run ./build/loosen $(BIN)/conch

conch-host: ## build the program without a window
	@mkdir -p $(BIN)
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/conch-host ./cmd/conch-host

# The programs that `conch pack` adds games to, with their digests. LAUNCHERS chooses them; linux-arm64 needs
# gcc-aarch64-linux-gnu and libwebkit2gtk-4.1-dev:arm64, and the macOS ones are built on a Mac.
LAUNCHERS ?= linux-amd64 windows-amd64 windows-arm64
RELEASE := build/release
release: conch conch-host ## build the launchers that `pack` uses into build/release
	@rm -rf $(RELEASE) && mkdir -p $(addprefix $(RELEASE)/launchers/,$(LAUNCHERS))
	cp $(BIN)/conch $(BIN)/conch-host $(RELEASE)
	@set -e; for target in $(LAUNCHERS); do $(MAKE) --no-print-directory launcher-$$target; done
	cd $(RELEASE)/launchers && sha256sum */conch* >SHA256SUMS

launcher-windows-%:
	GOOS=windows GOARCH=$* CGO_ENABLED=0 go build -trimpath -tags $(TAGS),launcher -ldflags '$(LDFLAGS)' -o $(RELEASE)/launchers/windows-$*/conch.exe .

# Debian's compilers carry these names, also the computer's own.
CROSS_amd64 := CC=x86_64-linux-gnu-gcc PKG_CONFIG=x86_64-linux-gnu-pkg-config
CROSS_arm64 := CC=aarch64-linux-gnu-gcc PKG_CONFIG=aarch64-linux-gnu-pkg-config
launcher-linux-%:
	GOOS=linux GOARCH=$* CGO_ENABLED=1 $(CROSS_$*) go build -trimpath -tags $(TAGS),launcher -ldflags '$(LDFLAGS)' -o $(RELEASE)/launchers/linux-$*/conch .
	go run ./build/loosen $(RELEASE)/launchers/linux-$*/conch

launcher-darwin-%:
	GOOS=darwin GOARCH=$* CGO_ENABLED=1 go build -trimpath -tags $(TAGS),launcher -ldflags '$(LDFLAGS)' -o $(RELEASE)/launchers/darwin-$*/conch .

skiff-server:
	@mkdir -p $(BIN)
	go build -trimpath -o $(BIN)/skiff-server ./examples/skiff/server

play: ## install what is missing, build, start the demo server and open the demo game
	@./build/deps.sh $(BUILD_PACKAGES) $(RUN_PACKAGES)
	@$(MAKE) --no-print-directory build skiff-server
	@./examples/play.sh $(BIN)

test: deps lint js unit race e2e ## everything: what CI runs

unit: ## Go tests, without a window
	go test -timeout 20m -tags $(TAGS) ./...

race: ## the packages with goroutines under the race detector
	go test -race -count=1 -timeout 20m -tags $(TAGS) $$(go list -tags $(TAGS) ./netsock ./session/... ./runtime/... ./consent/... ./app/... ./internal/... ./examples/... ./build/... | grep -v /pack$$)
	go test -race -count=1 -timeout 20m -run 'Bundle|Interrupt' ./internal/pack

# Fuzz targets as FOLDER:NAME; `make fuzz FUZZTIME=5m` looks longer.
FUZZTIME ?= 5s
fuzz: ## every fuzz target for a moment, seeds first
	@set -e; for file in $$(grep -rlE '^func Fuzz' --include=*_test.go . | sort); do \
	  for name in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9]+)\(.*/\1/p' $$file); do \
	    echo "fuzz $$(dirname $$file) $$name"; \
	    go test -tags $(TAGS) -run='^$$' -fuzz="^$$name\$$" -fuzztime=$(FUZZTIME) $$(dirname $$file); \
	  done; done

frontend/node_modules: frontend/package-lock.json
	cd frontend && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

js: frontend/node_modules ## type check and unit tests of the page script
	cd frontend && npm run --silent check && npm test --silent

e2e: build ## real programs, real window, real pages in both engines
	CONCH_BIN=$(abspath $(BIN)) go test -tags e2e -count=1 -timeout 60m ./frontend ./consent ./internal/saves ./e2e ./e2e/lan

# SOAK=1m for a try.
SOAK ?= 10m
soak: conch-host ## 64 players who talk all the time, for 10 minutes: nobody is dropped, memory stays flat
	CONCH_BIN=$(abspath $(BIN)) SOAK=$(SOAK) go test -tags e2e,soak -count=1 -timeout 0 ./e2e/lan -run TestSoak -v

lint: ## gofmt, vet and staticcheck; the code for other systems too
	@test -z "$$(gofmt -s -l $$(git ls-files '*.go'))" || { gofmt -s -l $$(git ls-files '*.go'); exit 1; }
	go vet -tags $(TAGS) ./...
	go vet -tags $(TAGS),launcher . ./internal/cli
	go vet -tags $(TAGS),e2e ./e2e/... ./frontend ./consent ./internal/saves
	go run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK) -tags $(TAGS) ./...
	GOOS=windows CGO_ENABLED=0 go vet -tags $(TAGS) ./...
	GOOS=windows CGO_ENABLED=0 go vet -tags $(TAGS),e2e ./e2e/winquestion
	GOOS=darwin CGO_ENABLED=0 go vet $(PURE)

STATICCHECK := v0.8.2
# What can be checked for macOS without its SDK: everything but the window.
PURE := ./consent/... ./runtime/... ./netsock ./session/... ./frontend ./app ./internal/... ./cmd/... ./examples/...

# The public web-platform tests, from a copy outside the repository.
wpt: build ## the public WebSocket tests, direct and through Conch: make wpt WPT=/path/to/copy
	CONCH_BIN=$(abspath $(BIN)) WPT=$(abspath $(WPT)) go test -tags e2e,wpt -count=1 -timeout 60m ./e2e -run TestWebPlatformTests -v

generate: ## rebuild frontend/dist
	go test ./frontend -run TestPageScript -update

# One iteration is one round of all variants. The tables go to $(BIN)/bench.md too; bench-docs puts them into the docs.
ROUNDS ?= 7
bench: ## ratios measured side by side; docs/performance.md says how
	@./build/deps.sh $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) wrk
	@mkdir -p $(BIN)
	@$(MAKE) --no-print-directory build barewindow >$(BIN)/bench.log 2>&1 || { cat $(BIN)/bench.log; exit 1; }
	@{ CONCH_BIN=$(abspath $(BIN)) go test -tags e2e -run '^$$' -bench . -benchtime $(ROUNDS)x -timeout 60m ./e2e && \
	  go test -run '^$$' -bench Relay -benchtime 1x -timeout 30m ./netsock; } >$(BIN)/bench.log 2>&1 || { cat $(BIN)/bench.log; exit 1; }
	@sed -nE '/^### /s/.*/\n&\n/p; /^> /s/.*/&\n/p; /^\|/p' $(BIN)/bench.log | tee $(BIN)/bench.md

bench-docs: ## put the tables of the last `make bench` into docs/performance.md
	sed -i -e '/^<!-- tables -->$$/,/^<!-- end of tables -->$$/{//!d}' -e '/^<!-- tables -->$$/r $(BIN)/bench.md' docs/performance.md

barewindow:
	@mkdir -p $(BIN)
	go build -trimpath -tags $(TAGS),e2e -ldflags '-s -w' -o $(BIN)/barewindow ./e2e/barewindow

clean: ## remove what was built
	rm -rf $(BIN) frontend/node_modules e2e/servers/node_modules
