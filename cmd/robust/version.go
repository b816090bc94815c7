package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/txrobust/robust/internal/config"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/smt"
)

// versionCommand prints versions, each on a line.
func versionCommand(*flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	return func(_ context.Context, std streams, _ []string) (int, error) {
		fmt.Fprintln(std.out, release())
		fmt.Fprintf(std.out, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		if z3, err := smt.Z3(); err != nil {
			fmt.Fprintf(std.out, "no Z3: %v\n", err)
		} else {
			fmt.Fprintln(std.out, z3)
		}
		if path, err := config.Find("."); err != nil {
			fmt.Fprintf(std.out, "no %s: %v\n", config.Name, err)
		} else if path != "" {
			fmt.Fprintf(std.out, "flags are read from %s\n", quote.Line(path))
		}
		return exitOK, nil
	}
}

// version is that of the module, with the revision it was built from, and that of
// Go.
func version() string { return release() + " " + runtime.Version() }

// stamp is the version that the linker was told, or "".
var stamp string

// release is the version of the module, with the revision it was built from.
func release() string {
	if stamp != "" {
		return "robust " + stamp
	}
	out := "robust"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	out += " " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			out += " " + s.Value
		}
	}
	return out
}
