package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/txrobust/robust/internal/schemafind"
	"github.com/txrobust/robust/lint"
)

// isVet reports whether go vet runs the program as its tool.
func isVet(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "-V=full" || a == "-flags" || strings.HasSuffix(a, ".cfg") })
}

// vet does what go vet asks for.
func vet(args []string, std streams) {
	if slices.Contains(args, "-V=full") {
		if err := vetVersion(std.out); err != nil {
			fmt.Fprintf(std.err, "robust: %v\n", err)
			os.Exit(exitFault)
		}
		return
	}
	unitchecker.Main(lint.New())
}

// vetVersion writes the line by which the go command tells versions of a tool
// apart. It keeps what go vet printed about a package until the package, what it
// imports or the tool changes, and knows nothing of SQL. So the schemas of the
// module count as a part of the tool.
func vetVersion(w io.Writer) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open(exe)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	roots, err := schemafind.Roots(".")
	if err == nil {
		err = schemafind.Digest(context.Background(), roots, h)
	}
	if err != nil { // what reads the schema says it better
		fmt.Fprint(h, err)
	}
	_, err = fmt.Fprintf(w, "%s version devel buildID=%x\n", exe, h.Sum(nil))
	return err
}
