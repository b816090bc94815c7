package pgtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Deadline is how long a schedule may take, waits included.
const Deadline = 30 * time.Second

// Script is a schedule as text, with what each step is expected to do.
type Script struct {
	Schedule
	Want []string // for each step: Result.String, or "" for any success that does not wait
}

// ParseScript reads lines of the form
//
//	SESSION: SQL -> OUTCOME
//
// where " -> OUTCOME" may be left out; SQL has no such arrow of its own. Blank
// lines and lines that start with -- are skipped.
func ParseScript(level, text string) (Script, error) {
	s := Script{Schedule: Schedule{Level: level}}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		name, rest, ok := strings.Cut(line, ":")
		if !ok || strings.ContainsAny(name, " \t") {
			return Script{}, fmt.Errorf("pgtest: a step is written SESSION: SQL, not %q", line)
		}
		sql, want, _ := strings.Cut(rest, " -> ")
		s.Steps = append(s.Steps, Step{Session: name, SQL: strings.TrimSpace(sql)})
		s.Want = append(s.Want, strings.TrimSpace(want))
	}
	return s, nil
}

// Play runs a script on the database at dsn and reports every step that did
// something else than the script says.
func Play(t testing.TB, dsn, level, text string) *Outcome {
	t.Helper()
	script, err := ParseScript(level, text)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
	defer cancel()
	out, err := Run(ctx, dsn, script.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range out.Results {
		want, got := script.Want[i], r.String()
		if want == got || want == "" && r.Code == "" && !r.Blocked {
			continue
		}
		if want == "" {
			want = "success"
		}
		if r.Message != "" {
			got += " (" + r.Message + ")"
		}
		t.Errorf("step %d at %s: %s: %s\n  got  %s\n  want %s", i+1, level, r.Session, r.SQL, got, want)
	}
	return out
}
