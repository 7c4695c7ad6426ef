# Conch. `make help` lists the targets.
SHELL := /bin/bash
BIN ?= build/bin
TAGS := desktop,production,webkit2_41
VERSION ?=
LDFLAGS := -s -w $(if $(VERSION),-X conch/internal/cli.version=$(VERSION))
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help deps build conch conch-host play test unit race fuzz js e2e lint bench generate release clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# What the build and the tests need from Debian 12.
BUILD_PACKAGES := build-essential pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev
RUN_PACKAGES := gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-libav fonts-dejavu-core xvfb openbox xdotool imagemagick x11-utils
TEST_PACKAGES := chromium webkit2gtk-driver nginx-light prosody nats-server procps iproute2 unzip zip brotli

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
