// Example uses the public packages of robust: it judges an application in SQL, a recorded
// history, and the transactions of a Go program. Its arguments are the folder of the
// application, and the schema and the packages of the program.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/isolation"
	"github.com/txrobust/robust/lint"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

func main() {
	for _, do := range []func(context.Context) error{application, recorded, inGo} {
		if err := do(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("analyzer:", lint.New().Name)
}

// application asks whether the application in a folder is robust.
func application(ctx context.Context) error {
	p, err := sqlmodel.Load(ctx, os.Args[1:2], sqlmodel.Options{})
	if err != nil {
		return err
	}
	return check(ctx, "application", p)
}

// inGo asks whether the transactions of a Go program are robust.
func inGo(ctx context.Context) error {
	found, err := analyzer.Load(ctx, os.Args[3:], analyzer.Options{})
	if err != nil {
		return err
	}
	p, err := robust.GoProgram(ctx, found, os.Args[2])
	if err != nil {
		return err
	}
	return check(ctx, "program in Go", p)
}

// check decides about a program, prints the findings, and then the whole report.
func check(ctx context.Context, name string, p *ir.Program) error {
	rep, err := robust.Check(ctx, p, robust.Options{
		Question: robust.Question{Engine: engine.Postgres(), Init: robust.AnyRows},
		Budget:   robust.Budget{Helpers: 2, Questions: 500},
		Output:   robust.Output{Explain: true},
		Replay: func(_ context.Context, w *robust.Witness) (*robust.Replay, error) {
			fmt.Println("execution of", len(w.Transactions), "transactions")
			return nil, nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", name, rep.Verdict)
	for _, f := range rep.Findings {
		fmt.Printf("%s: %s: %s\n", f.Code, f.Kind, strings.Join(f.Cycle, " -> "))
	}
	return report.Text(os.Stdout, rep, report.TextOptions{})
}

// recorded asks which levels a lost update satisfies.
func recorded(ctx context.Context) error {
	b := history.NewBuilder()
	x := b.Key(history.String("x"))
	for i := range 2 {
		b.Txn(b.Session(history.Int(int64(i))), history.Committed)
		b.Read(x, history.Initial)
		b.Write(x, b.Value(history.Int(int64(i+1))))
	}
	h, err := b.Build()
	if err != nil {
		return err
	}
	res, err := judge.Check(ctx, h, judge.Options{Levels: []isolation.Level{isolation.RC, isolation.SI}})
	if err != nil {
		return err
	}
	fmt.Println("history: RC", res.Judgement(isolation.RC).Verdict, "SI", res.Judgement(isolation.SI).Verdict)
	return nil
}
