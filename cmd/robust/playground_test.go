package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/playground"
)

// TestPlaygroundCommand writes a playground, and refuses what is none.
func TestPlaygroundCommand(t *testing.T) {
	built, empty, out := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "page")
	for _, name := range []string{playground.Checker, playground.Runtime} {
		if err := os.WriteFile(filepath.Join(built, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-wasm", built, "-o", out}, exitOK, ""},
		{[]string{"-wasm", built, "-o", other}, exitUsage, "mine.txt"},
		{[]string{"-wasm", empty, "-o", out}, exitUsage, "-wasm"},
		{[]string{"-wasm", filepath.Join(empty, "none"), "-o", out}, exitUsage, "there is no folder"},
		{[]string{"-wasm", built, "-z3", empty, "-o", out}, exitUsage, "-z3"},
		{[]string{"-wasm", built, "-http", "nowhere"}, exitUsage, "-http"},
		{[]string{"scene"}, exitUsage, "no arguments"},
	} {
		var said bytes.Buffer
		code := run(t.Context(), append([]string{"playground"}, c.args...), streams{io.Discard, &said})
		if code != c.code || !strings.Contains(said.String(), c.want) || strings.Count(said.String(), "\n") > 1 {
			t.Errorf("%v: %d %s", c.args, code, &said)
		}
	}
	if text, err := os.ReadFile(filepath.Join(out, "index.html")); err != nil || !strings.Contains(string(text), "robust playground") {
		t.Errorf("%.100s, %v", text, err)
	}
	if playground.Built() == nil {
		var said bytes.Buffer
		if code := run(t.Context(), []string{"playground", "-o", out}, streams{io.Discard, &said}); code != exitFault || !strings.Contains(said.String(), "build it with make") {
			t.Errorf("without a checker: %d %s", code, &said)
		}
	}
}

// TestPlaygroundServed serves a playground until an interrupt.
func TestPlaygroundServed(t *testing.T) {
	built := t.TempDir()
	for _, name := range []string{playground.Checker, playground.Runtime} {
		if err := os.WriteFile(filepath.Join(built, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	printed, out := io.Pipe()
	code := make(chan int)
	go func() { code <- run(ctx, []string{"playground", "-wasm", built}, streams{out, io.Discard}) }()
	line := make([]byte, 100)
	n, err := printed.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), "robust playground") {
		t.Errorf("%.100s, %v", text, err)
	}
	interrupt()
	if c := <-code; c != exitOK {
		t.Errorf("after an interrupt the exit code is %d", c)
	}
}
