package analyzer

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/internal/client"
)

// TestResults says of what is inserted whether it is what an earlier statement gave: the results of a batch are those of
// its statements where their order is known, and the length of a list is the number of rows that went to it.
func TestResults(t *testing.T) {
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	res, err := Load(context.Background(), []string{"./..."}, Options{Dir: filepath.Join("testdata", "src", "pgx"), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"Answered": true, "AnsweredBefore": true, "AnsweredPerhaps": false, "AnsweredMixed": false, "AnsweredInLoop": false, "AnsweredInRows": false, "AnsweredLater": false, "AnsweredBehind": true, "AnsweredElsewhere": false, "CountsPointers": true, "CountsLonger": false}
	for _, x := range res.Txns {
		is, ok := want[x.Name]
		if !ok {
			continue
		}
		delete(want, x.Name)
		given := map[string]bool{}
		client.EachQuery(x.Body, func(q *client.Query) {
			client.EachResult(q, func(v *string) { given[*v] = true })
		})
		args := 0
		client.EachQuery(x.Body, func(q *client.Query) {
			if q.SQL[:15] != "INSERT INTO log" {
				return
			}
			for _, a := range q.Args {
				args++
				if v, isVar := a.(*client.VarExpr); (isVar && given[v.Name]) != is {
					t.Errorf("%s inserts %s, which comes from a statement: got %t, want %t:\n%s", x.Name, client.ExprString(a), !is, is, x)
				}
			}
		})
		if args == 0 {
			t.Errorf("%s inserts nothing:\n%s", x.Name, x)
		}
	}
	if len(want) > 0 {
		t.Errorf("no transactions are found of %v", want)
	}
}
