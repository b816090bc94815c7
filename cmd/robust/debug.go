package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// debugPhases are the phases of the translation of SQL, in their order.
var debugPhases = []string{"syntax", "bind", "rules", "lower"}

const debugOperands = "FILE is a .sql file or a directory of them; all of them are one application.\n" +
	"The phases are syntax (statements as they are parsed), bind (queries, with the\n" +
	"form that each is translated in, its sources and the types of its columns),\n" +
	"rules (what was rewritten, and where) and lower (the program that is checked)."

func debugSQLCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	var phase, dialect string
	flags.Choice(fs, &phase, "phase", "bind", debugPhases, "what to print: "+strings.Join(debugPhases, ", ")+" (a `phase`)")
	flags.Choice(fs, &dialect, "dialect", "postgres", []string{"postgres", "mysql"}, "the `dialect` of the SQL: postgres or mysql")
	return func(ctx context.Context, std streams, files []string) (int, error) {
		reader, err := debugInputs(files)
		if err != nil {
			return 0, err
		}
		var events []debugEvent
		opt := sqlmodel.Options{Files: reader, MySQL: dialect == "mysql", Trace: func(p string, at ir.Pos, text string) {
			if p == phase {
				events = append(events, debugEvent{at, text})
			}
		}}
		prog, err := sqlmodel.Load(ctx, files, opt)
		if err != nil {
			return 0, err
		}
		var out bytes.Buffer
		if phase == "lower" {
			out.WriteString(prog.String())
			for _, n := range prog.Notes {
				fmt.Fprintf(&out, "note: %s: %s\n", n.Pos, n.Text)
			}
			for _, n := range prog.Premises {
				fmt.Fprintf(&out, "premise: %s\n", n.Text)
			}
		}
		// What is inlined in several places is told of in each.
		slices.SortStableFunc(events, func(a, b debugEvent) int {
			return cmp.Or(cmp.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Col, b.at.Col))
		})
		seen := map[debugEvent]bool{}
		for _, e := range events {
			if !seen[e] {
				fmt.Fprintf(&out, "%s: %s\n", e.at, e.text)
			}
			seen[e] = true
		}
		if out.Len() == 0 {
			fmt.Fprintln(&out, nothingToPrint[phase])
		}
		_, err = std.out.Write(out.Bytes())
		return exitOK, err
	}
}

// nothingToPrint is what a phase that did nothing prints.
var nothingToPrint = map[string]string{
	"syntax": "no statement of SQL was translated",
	"bind":   "no query was bound",
	"rules":  "no rule was applied",
}

// debugInputs finds mistakes in the arguments, as for the other commands, and gives what reads the files.
func debugInputs(files []string) (*infile.Reader, error) {
	for _, path := range files {
		if ext := filepath.Ext(path); isGo(path) || ext == ".go" || ext == ".litmus" {
			return nil, usagef("%s: robust debug sql reads .sql files and directories of them only", path)
		}
	}
	reader, err := infile.NewReader()
	if err != nil {
		return nil, err
	}
	return reader, (&sources{inputs: files, files: reader}).check()
}

// debugEvent is what a phase did at a place.
type debugEvent struct {
	at   ir.Pos
	text string
}
