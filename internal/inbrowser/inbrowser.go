package inbrowser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/reportpage"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// File is the name that places in the program have.
const File = "program.sql"

// MaxText bounds the bytes of a program.
const MaxText = 256 << 10

// Request is a program, and what is asked about it.
type Request struct {
	SQL string `json:"sql"`
	// Level is that of all transactions, as robust check -isolation has it, and Levels are
	// those of single ones. What is said of transactions that are not there does not count.
	Level  string            `json:"level"`
	Levels map[string]string `json:"levels"`
	// Seconds bounds the time of the check.
	Seconds float64 `json:"seconds"`
}

// Answer is what became of a Request.
type Answer struct {
	Verdict report.Verdict `json:"verdict,omitempty"`
	// Summary is the verdict in a sentence, and Page the page that tells the rest.
	Summary string `json:"summary,omitempty"`
	Page    string `json:"page,omitempty"`
	// Error says why there is no verdict; Line and Column are its place in the program,
	// from 1, or 0.
	Error  string `json:"error,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Transactions are the names of the transactions.
	Transactions []string `json:"transactions"`
	// Proves says that there is a Z3.
	Proves bool `json:"proves"`
}

// Check checks a program. progress is told what is being done.
func Check(ctx context.Context, r Request, progress func(what string)) (a Answer) {
	a.Transactions = []string{}
	if f := fault.Guard("the check", func() { a.check(ctx, r, progress) }); f != nil {
		a.fails(f)
	}
	return a
}

func (a *Answer) check(ctx context.Context, r Request, progress func(what string)) {
	if len(r.SQL) > MaxText {
		a.Error = fmt.Sprintf("the program has %d bytes, but must have %d at most; robust check takes larger ones", len(r.SQL), MaxText)
		return
	}
	progress("reading the program")
	files := []sqlmodel.File{{Name: File, Text: r.SQL}}
	p, err := sqlmodel.Parse(files, sqlmodel.Options{})
	if err != nil {
		a.fails(err)
		return
	}
	p.Name = "the program"
	for _, t := range p.Txns {
		a.Transactions = append(a.Transactions, t.Name)
	}
	slices.Sort(a.Transactions)
	if len(p.Txns) == 0 {
		a.Error = "there is no transaction in the program: write a function or procedure, or BEGIN … COMMIT"
		return
	}
	opt, err := options(p, r)
	if err != nil {
		a.fails(err)
		return
	}
	sources := func(file string) (string, bool) { return r.SQL, file == File }
	opt.Sources = sources
	opt.Progress = func(_, _ int, what string) { progress(what) }
	if r.Seconds > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Duration(r.Seconds*float64(time.Second)))
		defer stop()
	}
	rep, err := check.Check(ctx, p, opt)
	if err != nil {
		a.fails(err)
		return
	}
	progress("drawing")
	var page bytes.Buffer
	if err := reportpage.Write(&page, []*report.Report{rep}, sources); err != nil {
		a.fails(err)
		return
	}
	_, none := smt.Z3()
	a.Verdict, a.Page, a.Proves = rep.Verdict, page.String(), none == nil
	a.Summary = a.summary(rep, ctx.Err() != nil)
}

// options are those of a check.
func options(p *ir.Program, r Request) (check.Options, error) {
	if err := levels.Known(r.Level); err != nil {
		return check.Options{}, err
	}
	there := map[string]string{}
	for name, level := range r.Levels {
		if p.Txn(name) != nil {
			there[name] = level
		}
	}
	of, err := levels.Named(p, there)
	return check.Options{Engine: engine.Postgres(), Isolation: r.Level, Levels: of, Explain: true, Graph: true, Solverless: true}, err
}

// summary is the verdict in a sentence.
func (a *Answer) summary(rep *report.Report, late bool) string {
	switch {
	case rep.Verdict == report.NotRobust:
		return "Not robust: there is an execution that no serial order explains."
	case rep.Verdict == report.Robust:
		return "Robust: proved, for any rows and any number of sessions."
	case late:
		return "The time ran out: no anomaly was found until then, and nothing is proved."
	case len(rep.Findings) > 0:
		return "Suspected: there is an execution that no serial order explains, but the database may refuse it."
	case a.Proves:
		return "Unknown: neither a proof nor an anomaly was found."
	}
	return fmt.Sprintf("No anomaly up to %d transactions. This is no proof: run robust check for one.", schedules.MaxCalls)
}

// fails records why there is no verdict.
func (a *Answer) fails(err error) {
	a.Error = err.Error()
	var at *ir.Error
	if errors.As(err, &at) && at.Pos.File == File && at.Pos.Line > 0 {
		a.Line, a.Column = at.Pos.Line, at.Pos.Col
		a.Error = fmt.Sprintf("%s:%d:%d: %s", File, a.Line, a.Column, at.Msg)
	}
}
