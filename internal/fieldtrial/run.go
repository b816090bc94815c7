package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/txrobust/robust/report"
)

// result is what became of a program.
type result struct {
	sites, found                 int
	transactions, settled        int
	places, modelled             int
	findings, suspected, apart   int
	verdict                      string
	loading, extraction, checked time.Duration
	memory                       int // MB
	// fault says why there are no figures.
	fault string
}

// run checks a program.
func run(ctx context.Context, program string, e *entry, limit time.Duration, reports string) *result {
	r := &result{}
	var err error
	if r.sites, err = sitesOf(e.dir, e.patterns); err != nil {
		r.fault = err.Error()
		return r
	}
	file := filepath.Join(reports, strings.ReplaceAll(e.name(), "/", "+")+".json")
	file, err = filepath.Abs(file)
	if err != nil {
		r.fault = err.Error()
		return r
	}
	args := append([]string{"check", "-format", "json", "-o", file, "-timeout", limit.String()}, e.patterns...)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = e.dir
	var said bytes.Buffer
	cmd.Stderr = &said
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3 && exit.ExitCode() != 4) {
		r.fault = fmt.Sprintf("%v: %s", err, firstLine(said.String()))
		return r
	}
	if err := r.read(file); err != nil {
		r.fault = err.Error()
	}
	return r
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// outcome is what the table needs of a report in JSON.
type outcome struct {
	Verdict      report.Verdict            `json:"verdict"`
	Levels       []report.TransactionLevel `json:"levels"`
	Transactions []report.Transaction      `json:"transactions"`
	Findings     []struct {
		Status report.Status `json:"status"`
		Cycle  []string      `json:"cycle"`
	} `json:"findings"`
	Apart    []struct{}       `json:"not_in_one_transaction"`
	Havocs   []report.Havoc   `json:"havocs"`
	Open     *report.Open     `json:"open"`
	Coverage *report.Coverage `json:"coverage"`
	Stats    report.Stats     `json:"stats"`
}

// read takes the figures out of a report.
func (r *result) read(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var rep outcome
	if err := json.Unmarshal(text, &rep); err != nil {
		return err
	}
	r.verdict, r.apart = string(rep.Verdict), len(rep.Apart)
	settled := settledIn(&rep)
	for _, t := range rep.Transactions {
		r.transactions++
		if settled[t.Name] {
			r.settled++
		}
	}
	for _, f := range rep.Findings {
		if f.Status == report.Confirmed {
			r.findings++
		} else {
			r.suspected++
		}
	}
	if c := rep.Coverage; c != nil {
		r.found, r.places, r.modelled = c.Begins, c.Places, c.Modelled
	}
	for i, p := range rep.Stats.Phases {
		took := time.Duration(p.MS) * time.Millisecond
		switch i {
		case 0:
			r.loading = took
		case 1:
			r.extraction = took
		default:
			r.checked += took
		}
		r.memory = max(r.memory, int(p.PeakMB))
	}
	return nil
}

// settledIn gives the transactions of a report that are settled: all of a robust program, those
// of confirmed findings, and those that are wholly modelled, do nothing at their levels that they
// could not do at snapshot isolation, and are in no suspicious cycle that the report lists.
func settledIn(rep *outcome) map[string]bool {
	out := map[string]bool{}
	for _, t := range rep.Transactions {
		out[t.Name] = rep.Verdict == report.Robust
	}
	for _, l := range rep.Levels {
		out[l.Transaction] = out[l.Transaction] || l.Proved
	}
	for _, h := range rep.Havocs {
		delete(out, h.Transaction)
	}
	if rep.Open != nil {
		for _, c := range rep.Open.Cycles {
			for _, name := range c {
				delete(out, name)
			}
		}
	}
	for _, f := range rep.Findings {
		if f.Status == report.Confirmed {
			for _, name := range f.Cycle {
				out[name] = true
			}
		}
	}
	return out
}
