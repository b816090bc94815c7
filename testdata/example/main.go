// Example uses the public packages of robust: it judges an application in SQL, a recorded
// history, and the transactions of a Go program.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/history"
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
	rep, err := robust.Check(ctx, p, robust.Options{Engine: engine.Postgres(), Init: robust.AnyRows,
		Replay: func(_ context.Context, w *robust.Witness) (*robust.Replay, error) {
			fmt.Println("execution of", len(w.Transactions), "transactions")
			return nil, nil
		}})
	if err != nil {
		return err
	}
	fmt.Println("application:", rep.Verdict)
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

// inGo lists the transactions of a Go program.
func inGo(ctx context.Context) error {
	res, err := analyzer.Load(ctx, os.Args[2:], analyzer.Options{})
	if err != nil {
		return err
	}
	fmt.Println("transactions in Go:", len(res.Txns))
	return nil
}
