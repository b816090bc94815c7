// Build builds the checker of the playground as WebAssembly, with the toolchain of Go:
//
//	go run ./internal/playground/build -o internal/playground/built
//
// writes robust.wasm-gz, and beside it the part of the toolchain that runs it in a browser.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/txrobust/robust/internal/playground"
)

func main() {
	dir := flag.String("o", "internal/playground/built", "the folder to write to")
	flag.Parse()
	if err := build(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// hot are the packages where the checker spends its time. Elsewhere nothing is inlined, which would
// make the file a quarter larger.
var hot = []string{"github.com/txrobust/robust/ir", "github.com/txrobust/robust/internal/interp", "github.com/txrobust/robust/internal/schedules"}

func build(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	wasm := filepath.Join(dir, "robust.wasm")
	defer os.Remove(wasm)
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", wasm, "-gcflags=all=-l"}
	for _, hot := range hot {
		args = append(args, "-gcflags="+hot+"=")
	}
	cmd := exec.Command("go", append(args, "github.com/txrobust/robust/internal/inbrowser/wasm")...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	text, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	packed, err := playground.Compressed(text)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, playground.Checker), packed, 0o666); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	runtime, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", playground.Runtime))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, playground.Runtime), runtime, 0o666)
}
