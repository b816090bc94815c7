package replay_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/witness"
)

// rivals are two updates of one row, the second of which has to wait.
func rivals() *witness.Plan {
	step := func(label string, session int, kind witness.StepKind, sql string) witness.Step {
		s := witness.Step{Transaction: label, Session: session, Kind: kind}
		if sql != "" {
			s.Command = &witness.Command{Text: []string{sql}}
		}
		return s
	}
	const update = "UPDATE account SET balance = balance + 1 RETURNING balance"
	return &witness.Plan{Dialect: witness.Postgres, Level: "READ COMMITTED",
		Schema: []witness.Declaration{{SQL: "CREATE TABLE account (balance int)"}},
		Setup:  []string{"DELETE FROM account", "INSERT INTO account VALUES (10)"},
		Tables: []witness.PlanTable{{Name: "account", Columns: []string{"balance"}}},
		Execution: witness.Run{Order: []string{"A", "B"}, Final: [][][]witness.Cell{nil}, Steps: []witness.Step{
			step("A", 1, witness.StepBegin, ""), step("A", 1, witness.StepCommand, update),
			step("B", 2, witness.StepBegin, ""), step("B", 2, witness.StepCommand, update),
			step("A", 1, witness.StepCommit, ""), step("B", 2, witness.StepCommit, "")}}}
}

// TestWatch: who watches is told what is sent, what waits, and what comes back, late or
// not; errors, too.
func TestWatch(t *testing.T) {
	s := replaytest.Open(t, witness.Postgres)
	for level, last := range map[string]string{"READ COMMITTED": "B answers balance = 12", "REPEATABLE READ": "B answers 40001"} {
		var got []string
		final, err := s.Watch(t.Context(), rivals(), level, func(e replay.Event) error {
			text := e.SQL + e.Code
			for _, r := range e.Rows {
				text += e.Columns[0] + " = " + *r[0]
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Transaction, e.Kind, text)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		sent := slices.Index(got, "B waits")
		committed := slices.Index(got, "A sends COMMIT")
		answered := slices.Index(got, last)
		if sent < 0 || committed < sent || answered < committed {
			t.Errorf("at %s it must wait, and then give %s:\n%s", level, last, strings.Join(got, "\n"))
		}
		want := map[string]string{"READ COMMITTED": "12", "REPEATABLE READ": "11"}[level]
		if len(final) != 1 || *final[0].Rows[0][0] != want {
			t.Errorf("at %s the balance must be %s in the end", level, want)
		}
	}
	stop := errors.New("stop")
	n := 0
	_, err := s.Watch(t.Context(), rivals(), "READ COMMITTED", func(replay.Event) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("the error of who watches must end it: %v after %d events", err, n)
	}
	broken := rivals()
	broken.Schema[0].SQL = "CREATE TABLE account (balance money_of_mars)"
	if _, err := s.Watch(t.Context(), broken, "READ COMMITTED", func(replay.Event) error { return nil }); err == nil || !strings.Contains(err.Error(), "the schema cannot be made") {
		t.Errorf("a schema that cannot be made gives %v", err)
	}
}
