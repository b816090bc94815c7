package judge_test

import (
	"context"
	"fmt"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history/record"
	"github.com/txrobust/robust/isolation"
)

// A test of a program tells a recorder what its transactions read and wrote, and
// fails if the database did not keep its promise.
func ExampleCheck() {
	r := record.New()
	r.Initial("balance", 100)
	alice, bob := r.Session("alice").Begin("withdraw"), r.Session("bob").Begin("withdraw")
	alice.Read("balance", 100)
	bob.Read("balance", 100)
	alice.Write("balance", 70)
	alice.Commit()
	bob.Write("balance", 80)
	bob.Commit()

	h, err := r.History()
	if err != nil {
		panic(err)
	}
	result, err := judge.Check(context.Background(), h, judge.Options{Levels: []isolation.Level{isolation.RC, isolation.SI, isolation.SER}})
	if err != nil {
		panic(err)
	}
	for _, j := range result.Judgements {
		fmt.Println(j.Level, j.Verdict)
	}
	for _, a := range result.Anomalies {
		fmt.Println(a.Kind, a.Txns)
	}
	// Output:
	// RC accept
	// SI reject
	// SER reject
	// lost-update [1 2]
	// G2-item [1 2]
}
