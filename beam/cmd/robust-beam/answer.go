package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/txrobust/robust/beam/internal/contract"
	"github.com/txrobust/robust/internal/quote"
)

// asJSON writes an answer for programs.
func asJSON(w io.Writer, r *contract.Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// text writes an answer for people.
func text(w io.Writer, r *contract.Result) error {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(quote.Line(fmt.Sprintf(format, args...)) + "\n") }
	s := r.Stats
	line("%d transactions with %d operations in %d shards", s.Txns, s.Ops, s.Shards)
	for _, l := range r.Levels {
		if l.Why == "" {
			line("  %-4s %s", l.Level, l.Verdict)
		} else {
			line("  %-4s %s: %s", l.Level, l.Verdict, l.Why)
		}
	}
	for i, f := range r.Findings {
		line("")
		line("%d. %s, violates %s", i+1, f.Kind, strings.Join(f.Violates, ", "))
		if f.Cycle != "" {
			line("   %s", f.Cycle)
		}
		for _, x := range f.Sentences {
			line("   %s", x)
		}
		for _, p := range f.Places {
			line("   %s", p)
		}
	}
	line("")
	for _, n := range r.Notes {
		line("note: %s", n)
	}
	order := map[contract.Order]string{contract.Stamps: "by the ends of transactions", contract.Merge: "merged from the sessions", "": "none"}[s.Order]
	line("candidate order: %s; windows judged: %d, the largest with %d operations", order, s.Windows, s.Largest)
	var passes []string
	for _, p := range s.Passes {
		passes = append(passes, fmt.Sprintf("%s %.1f s", p.Kind, p.Seconds))
	}
	line("passes: %s", strings.Join(passes, ", "))
	_, err := io.WriteString(w, b.String())
	return err
}
