#!/usr/bin/env bash
# Installs z3 and robust where they are missing.
set -euo pipefail
if ! command -v z3 > /dev/null; then
  sudo apt-get update -q
  sudo apt-get install -y -q z3
fi
if ! command -v robust > /dev/null; then
  CGO_ENABLED=0 go install "github.com/txrobust/robust/cmd/robust@${ROBUST_VERSION:-latest}"
  echo "$(go env GOPATH)/bin" >> "$GITHUB_PATH"
fi
