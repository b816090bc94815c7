package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/txrobust/robust/internal/playground"
)

const playgroundOperands = "Without -o the playground is served, until an interrupt, and its address is\n" +
	"printed. docs/playground.md says more."

// playgroundFlags are the flags of robust playground.
type playgroundFlags struct{ dir, address, wasm, z3 string }

func playgroundCommand(flags *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &playgroundFlags{}
	flags.StringVar(&f.dir, "o", "", "write the playground to the folder `DIR`, for any server of files, instead of serving it")
	flags.StringVar(&f.address, "http", "127.0.0.1:0", "serve the playground at this `address`; port 0 is a free one")
	flags.StringVar(&f.z3, "z3", "", "let the playground prove, with the npm package z3-solver in the folder `DIR` (npm install z3-solver makes it in node_modules)")
	flags.StringVar(&f.wasm, "wasm", "", "the checker for a browser, in a `DIR` that go run ./internal/playground/build -o DIR wrote (default: the one inside of this robust)")
	return f.run
}

func (f *playgroundFlags) run(ctx context.Context, std streams, names []string) (int, error) {
	if len(names) > 0 {
		return 0, usagef("playground takes no arguments")
	}
	source, err := f.source()
	if err != nil {
		return 0, err
	}
	if f.dir == "" {
		return exitOK, f.serve(ctx, std, source)
	}
	if err := playground.Replaceable(f.dir); err != nil {
		return 0, usagef("-o: %v", err)
	}
	return exitOK, f.faulty(source.Write(f.dir))
}

// source says where the parts are.
func (f *playgroundFlags) source() (playground.Source, error) {
	s := playground.Source{Built: playground.Built()}
	for _, named := range []struct {
		flag, dir string
		to        *fs.FS
	}{{"wasm", f.wasm, &s.Built}, {"z3", f.z3, &s.Solver}} {
		if named.dir == "" {
			continue
		}
		if info, err := os.Stat(named.dir); err != nil || !info.IsDir() {
			return s, usagef("-%s: there is no folder %s", named.flag, named.dir)
		}
		*named.to = os.DirFS(named.dir)
	}
	if s.Built == nil {
		return s, playground.ErrNotBuilt
	}
	return s, nil
}

// faulty names the flag whose folder lacks a file.
func (f *playgroundFlags) faulty(err error) error {
	switch {
	case errors.Is(err, playground.ErrNoSolver):
		return usagef("-z3 %s: %v", f.z3, err)
	case f.wasm != "" && errors.Is(err, fs.ErrNotExist):
		return usagef("-wasm %s: %v", f.wasm, err)
	}
	return err
}

// serve serves the playground until the context ends.
func (f *playgroundFlags) serve(ctx context.Context, std streams, source playground.Source) error {
	handler, err := source.Handler()
	if err != nil {
		return f.faulty(err)
	}
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		return usagef("-http: %v", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if _, err := fmt.Fprintf(std.out, "http://%s/\n", listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
