package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// debugPhases are the phases of the translation of SQL, in their order.
var debugPhases = []string{"syntax", "bind", "rules", "lower"}

const debugOperands = "FILE is a .sql file or a directory of them; all of them are one application.\n" +
	"The phases are syntax (statements as they are parsed), bind (queries, with the form\n" +
	"that each is translated in, its sources and the types of its columns), rules\n" +
	"(what was rewritten, and where) and lower (the program that is checked)."

func debugSQLCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	phase := fs.String("phase", "bind", "what to print: "+strings.Join(debugPhases, ", ")+" (a `phase`)")
	dialect := fs.String("dialect", "postgres", "the `dialect` of the SQL: postgres or mysql")
	return func(ctx context.Context, std streams, files []string) (int, error) {
		switch {
		case !slices.Contains(debugPhases, *phase):
			return 0, usagef("-phase %s: the phases are %s", *phase, strings.Join(debugPhases, ", "))
		case *dialect != "postgres" && *dialect != "mysql":
			return 0, usagef("-dialect %s: this release reads postgres and mysql", *dialect)
		}
		var events []debugEvent
		opt := sqlmodel.Options{MySQL: *dialect == "mysql", Trace: func(p string, at ir.Pos, text string) {
			if p == *phase {
				events = append(events, debugEvent{at, text})
			}
		}}
		prog, err := sqlmodel.Load(ctx, files, opt)
		if err != nil {
			return 0, err
		}
		var out bytes.Buffer
		if *phase == "lower" {
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
		_, err = std.out.Write(out.Bytes())
		return exitOK, err
	}
}

// debugEvent is what a phase did at a place.
type debugEvent struct {
	at   ir.Pos
	text string
}
