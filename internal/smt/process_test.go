package smt

import (
	"bufio"
	"context"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// needsProgram gives a Solver that asks the program z3.
func needsProgram(t testing.TB) *Solver {
	t.Helper()
	s := &Solver{z3: newProcess("")}
	if why := s.z3.broken(); why != "" {
		if os.Getenv("ROBUST_CI") != "" {
			t.Fatal(why)
		}
		t.Skip("SKIPPED: ", why, ": make setup installs it")
	}
	t.Cleanup(s.Close)
	return s
}

// ended waits until a child has ended.
func ended(t *testing.T, c *child) {
	t.Helper()
	select {
	case <-c.done:
	case <-time.After(10 * time.Second):
		t.Error("the program still runs")
	}
}

// TestProcessEnds: no program outlives a time limit, a context, Close, or its Solver.
func TestProcessEnds(t *testing.T) {
	b := NewBuilder()
	interrupted := func(t *testing.T, s *Solver, ctx context.Context, want string) {
		t.Setenv(ProgramVar, "z3") // for the program that takes its place
		first := s.z3.(*process).z3
		start := time.Now()
		if r, _, why := s.Check(ctx, hard(b)); r != Unknown || why != want {
			t.Errorf("%s (%s), want unknown (%s)", r, why, want)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("it took %s", d)
		}
		ended(t, first)
		s.Timeout *= 40 // other work may keep the processors busy
		if r, m, why := s.Check(t.Context(), []*Term{b.Var("p", Bool)}); r != Sat || !m.IsTrue(b.Var("p", Bool)) {
			t.Errorf("asked again: %s (%s)", r, why)
		}
	}
	t.Run("time limit", func(t *testing.T) {
		s := needsProgram(t)
		s.Timeout = 50 * time.Millisecond
		interrupted(t, s, t.Context(), "context deadline exceeded")
	})
	t.Run("context", func(t *testing.T) {
		s := needsProgram(t)
		s.Check(t.Context(), []*Term{b.Var("p", Bool)}) // it has started
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, cancel)
		interrupted(t, s, ctx, "context canceled")
	})
	t.Run("killed by others", func(t *testing.T) {
		s := needsProgram(t)
		first := s.z3.(*process).z3
		first.kill()
		if r, _, why := s.Check(t.Context(), hard(b)); r != Unknown || !strings.HasPrefix(why, "the program z3 has ended") {
			t.Errorf("%s (%s)", r, why)
		}
		ended(t, first)
	})
	t.Run("Close", func(t *testing.T) {
		s := needsProgram(t)
		first := s.z3.(*process).z3
		s.Close()
		s.Close()
		ended(t, first)
	})
	t.Run("forgotten", func(t *testing.T) {
		first := newProcess("").z3
		for range 100 {
			runtime.GC()
			select {
			case <-first.done:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
		t.Error("the program of a forgotten solver still runs")
	})
}

// TestModelAfterEnd: a model is valid until the next question, also where Z3 must be asked for
// a value.
func TestModelAfterEnd(t *testing.T) {
	s := needsProgram(t)
	b := NewBuilder()
	x := b.Var("x", Int)
	div := b.Div(x, b.IntConst(0))
	res, m, why := s.Check(t.Context(), []*Term{b.Eq(x, b.IntConst(5)), b.Eq(div, b.IntConst(-7))})
	if res != Sat {
		t.Fatal(res, why)
	}
	if v := m.Value(div); v == nil || v.RatString() != "-7" {
		t.Errorf("5 div 0 is %v", v)
	}
	if v := m.Value(b.Var("y", Int)); v == nil || v.Sign() != 0 {
		t.Errorf("y, which no question has, is %v", v)
	}
	r := b.Var("r", Real)
	if res, m, why = s.Check(t.Context(), []*Term{b.Eq(b.Mul(r, r), b.RealConst(oneRat)), b.Lt(r, b.RealConst(zeroRat))}); res != Sat || m.Value(r).RatString() != "-1" {
		t.Errorf("r*r = 1: %s (%s), r = %v", res, why, m.Value(r))
	}
	if res, m, why = s.Check(t.Context(), []*Term{b.Eq(b.Mul(r, r), b.RealConst(b.IntConst(2).num))}); res != Sat || m.Value(r) != nil {
		t.Errorf("r*r = 2: %s (%s), r = %v", res, why, m)
	}
}

// TestOtherPrograms: what is no Z3, or too old, or fails, is said.
func TestOtherPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the programs are scripts of a shell")
	}
	for name, c := range map[string]struct{ script, want string }{
		"old":      {"echo 'Z3 version 4.8.7 - 64 bit'", "must be Z3 4.8.12 or newer, but is 4.8.7"},
		"other":    {"echo cvc5", `must be Z3, but --version prints "cvc5"`},
		"fails":    {"exit 3", "exit status 3"},
		"silent":   {"test \"$1\" = --version && echo 'Z3 version 4.10.0' && exit; exit 4", "the program z3 has ended: exit status 4"},
		"error":    {"test \"$1\" = --version && echo 'Z3 version 4.10.0' && exit; echo '(error \"no memory\")'; cat >/dev/null", `the program z3 says "no memory"`},
		"nonsense": {"test \"$1\" = --version && echo 'Z3 version 4.10.0' && exit; echo '(a (b |c d|))'; cat >/dev/null", "the program z3 answers (a (b |c d|))"},
		"slow":     {"test \"$1\" = --version && echo 'Z3 version 4.10.0' && exit; sleep 1; echo ready; echo unknown; echo '(:reason-unknown \"it took long\")'; cat >/dev/null", "it took long"},
		"no model": {"test \"$1\" = --version && echo 'Z3 version 4.10.0' && exit; echo ready; echo sat; echo nothing; cat >/dev/null", "the program z3 answers nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "z3")
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv(ProgramVar, path)
			s := NewSolver()
			defer s.Close()
			s.Timeout = 900 * time.Millisecond // the start does not count
			if r, _, why := s.Check(t.Context(), []*Term{NewBuilder().Var("p", Bool)}); r != Unknown || !strings.Contains(why, c.want) {
				t.Errorf("%s (%s), want unknown (%s)", r, why, c.want)
			}
		})
	}
	t.Setenv(ProgramVar, filepath.Join(t.TempDir(), "z3"))
	if _, err := Z3(); err == nil || !strings.Contains(err.Error(), ProgramVar) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestReadFunction reads what Z3 prints of functions; what has another form is left to Z3.
func TestReadFunction(t *testing.T) {
	for text, want := range map[string]string{
		"5":                           "other 5",
		"(ite (= x!0 (- 5)) (- 8) 7)": "-5=-8 other 7",
		"(ite (= x!0 5) 8 (ite (= x!0 5) 9 (/ 1.0 2.0)))":                 "5=8 other 1/2",
		"(ite (= x!0 5) (ite (= x!0 4) 1 2) 7)":                           "asked",
		"(f!1 (k!2 x!0))":                                                 "asked",
		"(ite (< x!0 5) 8 7)":                                             "asked",
		"(ite (and (= x!0 5) (= x!0 6)) 8 7)":                             "asked",
		"(ite (= x!0 (root-obj (+ (^ x 2) (- 2)) 1)) 8 7)":                "asked",
		"(ite (and (= x!0 5)) 8 (root-obj (+ (^ x 2) (- 2)) 1))":          "asked",
		"(ite x!0 1 (ite (not x!0) 2 3))":                                 "1=1 0=2 other 3",
		"(let ((a!1 (ite (= x!0 1) 2 3))) (ite (= x!0 5) 8 a!1))":         "asked",
		"(ite (= x!0 123456789012345678901234567890) 123456789012.0 0.5)": "123456789012345678901234567890=123456789012 other 1/2",
	} {
		body, err := readSexp(bufio.NewReader(strings.NewReader(text + "\n")))
		if err != nil || body.String() != text {
			t.Fatal(text, body, err)
		}
		params, _ := readSexp(bufio.NewReader(strings.NewReader("((x!0 Int))")))
		f := readFunction(params.list, body)
		got := "asked"
		if f.table != nil {
			got = ""
			for _, at := range []string{"123456789012345678901234567890", "1", "0", "5", "-5"} {
				v, _ := new(big.Rat).SetString(at)
				if v, ok := f.table[string(appendKey(nil, v))]; ok {
					got += at + "=" + v.RatString() + " "
				}
			}
			got += "other " + f.other.RatString()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
