package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/ir"
)

// Suppressed is a finding that is accepted.
type Suppressed struct {
	Finding Finding `json:"finding"`
	// By is "comment" or "baseline". Reason is that of the comment, which stands at
	// Position; or the file of the baseline is at Position.
	By       string   `json:"by"`
	Reason   string   `json:"reason,omitempty"`
	Position Position `json:"position"`
}

// Transactions are the names of the transactions of a finding, each once.
func (f *Finding) Transactions() []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range f.Cycle {
		add(name)
	}
	if f.Witness != nil {
		for _, t := range f.Witness.Transactions {
			add(t.Name)
		}
	}
	return out
}

// Baseline is the findings that were there before.
type Baseline struct {
	File    string
	Entries []BaselineEntry
}

// BaselineEntry is a finding in a baseline.
type BaselineEntry struct {
	Code        string   `json:"code"`
	Fingerprint string   `json:"fingerprint"`
	Cycle       []string `json:"cycle"`
}

// Has reports whether a finding was there before.
func (b *Baseline) Has(f *Finding) bool {
	return b != nil && slices.ContainsFunc(b.Entries, func(e BaselineEntry) bool { return e.Fingerprint == f.Fingerprint })
}

// baselineFile is what matters of a report in JSON, and of a SARIF log.
type baselineFile struct {
	Verdict  *Verdict `json:"verdict"`
	Findings []struct {
		BaselineEntry
		Also []BaselineEntry `json:"also"`
	} `json:"findings"`
	Suppressed []struct {
		Finding BaselineEntry `json:"finding"`
		By      string        `json:"by"`
	} `json:"suppressed"`
	Runs *[]struct {
		Results []struct {
			RuleID              string            `json:"ruleId"`
			PartialFingerprints map[string]string `json:"partialFingerprints"`
			Properties          struct {
				Also []BaselineEntry `json:"also"`
			} `json:"properties"`
		} `json:"results"`
	} `json:"runs"`
}

// ReadBaseline reads what JSON or SARIF wrote, of one program or of several. What
// a baseline suppressed then is part of it, what a comment did is not. An error
// is an *ir.Error.
func ReadBaseline(name string, data []byte) (*Baseline, error) {
	b := &Baseline{File: name}
	at := func(off int64) ir.Pos {
		before := data[:min(max(off, 0), int64(len(data)))]
		return ir.Pos{File: name, Line: bytes.Count(before, []byte("\n")) + 1, Col: len(before) - bytes.LastIndexByte(before, '\n')}
	}
	const advice = "a baseline is what robust check -format json or sarif writes"
	dec := json.NewDecoder(bytes.NewReader(data))
	for n := 0; ; n++ {
		start := dec.InputOffset()
		start += int64(len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t\r\n")))
		var f baselineFile
		err := dec.Decode(&f)
		if errors.Is(err, io.EOF) {
			if n == 0 {
				return nil, ir.Errorf(at(0), "this file is empty; %s", advice)
			}
			return b, nil
		}
		if err != nil {
			off := dec.InputOffset()
			if e, ok := errors.AsType[*json.SyntaxError](err); ok {
				off = e.Offset - 1
			}
			if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				off, err = e.Offset-1, fmt.Errorf("a %s does not belong here", e.Value)
			}
			return nil, ir.Errorf(at(off), "this is no baseline (%s); %s", strings.TrimPrefix(err.Error(), "json: "), advice)
		}
		if f.Verdict == nil && f.Runs == nil {
			return nil, ir.Errorf(at(start), "this object is no report; %s", advice)
		}
		for _, e := range f.Findings {
			b.Entries = append(append(b.Entries, e.BaselineEntry), e.Also...)
		}
		for _, s := range f.Suppressed {
			if s.By == codes.ByBaseline {
				b.Entries = append(b.Entries, s.Finding)
			}
		}
		if f.Runs != nil {
			for _, run := range *f.Runs {
				for _, r := range run.Results {
					if c, ok := codes.ByID(r.RuleID); ok && c.Finding() {
						b.Entries = append(b.Entries, BaselineEntry{Code: r.RuleID, Fingerprint: r.PartialFingerprints[codes.FingerprintVersion], Cycle: []string{}})
						b.Entries = append(b.Entries, r.Properties.Also...)
					}
				}
			}
		}
		for _, e := range b.Entries {
			if e.Fingerprint == "" {
				return nil, ir.Errorf(at(start), "a finding in this report has no fingerprint %s; write it again with this release", codes.FingerprintVersion)
			}
		}
	}
}
