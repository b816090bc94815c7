package tail

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/follow"
	"github.com/txrobust/robust/internal/checker/view"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/isolation"
)

// Command has the flags of history check that are about following, and does what they say.
type Command struct {
	On        bool
	window    int
	untilIdle time.Duration
}

// Declare declares the flags.
func (c *Command) Declare(fs *flag.FlagSet) {
	fs.BoolVar(&c.On, "follow", false, "judge a recording while it grows, in bounded memory: a file, or - for standard input; see above")
	flags.Whole(fs, &c.window, "window", follow.DefaultWindow, 2, "with -follow, how many transactions are looked at together")
	flags.Time(fs, &c.untilIdle, "until-idle", 0, 0, "with -follow, take the recording for complete when nothing was written for so long, such as 10s; a file that is not there is waited for as long (default: wait until an interrupt, or the end of standard input)")
}

// Check finds flags that say nothing without -follow.
func (c *Command) Check() error {
	if !c.On && (c.untilIdle != 0 || c.window != follow.DefaultWindow) {
		return flags.Usagef("-window and -until-idle belong to -follow")
	}
	return nil
}

// Asked are the flags of history check that count when a recording is followed.
type Asked struct {
	Levels []isolation.Level // none for all that can be followed
	In     string
	JSON   bool
	First  bool
	Limit  int
}

// Run follows a recording, and prints what is found as soon as it is. It gives the verdict of
// all levels together.
func (c *Command) Run(ctx context.Context, stdout, stderr io.Writer, file string, a Asked) (isolation.Verdict, error) {
	o, err := c.options(ctx, file, a)
	if err != nil {
		return 0, err
	}
	p := &printer{out: stdout, json: a.JSON, name: o.Name, limit: a.Limit, printed: map[isolation.Anomaly]int{}}
	o.Found, o.Lost = p.found, p.lost
	say, done := terminal.Working(stderr)
	defer done()
	said := time.Time{}
	o.Progress = func(txns, ops int64) {
		if now := time.Now(); now.Sub(said) > time.Second/4 {
			said = now
			say(fmt.Sprintf("%s: %d transactions, %d operations", o.Name, txns, ops))
		}
	}
	r, err := Follow(ctx, o)
	if err != nil {
		return 0, err
	}
	for _, n := range r.Notes {
		fmt.Fprintf(stderr, "note: %s\n", quote.Line(n))
	}
	p.end(ctx, r)
	return r.Verdict(), p.err
}

// options makes options of the flags.
func (c *Command) options(ctx context.Context, file string, a Asked) (Options, error) {
	o := Options{Path: file, Name: file, UntilIdle: c.untilIdle, Window: c.window, First: a.First, Levels: a.Levels}
	if file == "-" {
		o.Input, o.Name = os.Stdin, "standard input"
	} else if info, err := c.await(ctx, file); err != nil {
		return o, flags.Usagef("%v", err)
	} else if info.IsDir() {
		return o, flags.Usagef("-follow: %s is a folder; name the file that grows", file)
	}
	for _, l := range a.Levels {
		if !slices.Contains(follow.Levels(), l) {
			return o, flags.Usagef("-level %s: it cannot be followed; those that can are %s", l, levelNames(follow.Levels()))
		}
	}
	if a.In != "" {
		f, err := codec.ParseFormat(a.In)
		if err != nil {
			return o, flags.Usagef("-in: %v", err)
		}
		if !slices.Contains(Formats(), f) {
			return o, flags.Usagef("-in %s: this format cannot be followed; those that can are edn with a map a line, plume and compact", a.In)
		}
		o.Format = f
	}
	return o, nil
}

// await gives what is known of the file, for which it waits as long as for what is written to it.
func (c *Command) await(ctx context.Context, file string) (os.FileInfo, error) {
	for end := time.Now().Add(c.untilIdle); ; {
		info, err := os.Stat(file)
		if !errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil || time.Now().After(end) {
			return info, err
		}
		time.Sleep(pause)
	}
}

func levelNames(levels []isolation.Level) string {
	var out []string
	for _, l := range levels {
		out = append(out, l.String())
	}
	slices.Reverse(out)
	return strings.Join(out, ", ")
}

// printer prints what is found, and the answer.
type printer struct {
	out     io.Writer
	json    bool
	name    string
	limit   int
	told    int
	printed map[isolation.Anomaly]int
	err     error
}

// write writes a text, and keeps the first error.
func (p *printer) write(b []byte) {
	if _, err := p.out.Write(b); err != nil && p.err == nil {
		p.err = err
	}
}

// object writes an object of JSON on a line.
func (p *printer) object(v any) {
	text, err := quote.EncodeJSON(v, "")
	if err != nil && p.err == nil {
		p.err = err
	}
	p.write(text)
}

// found prints a violation, unless so many of its kind were printed.
func (p *printer) found(f follow.Finding) {
	if p.printed[f.Kind]++; p.printed[f.Kind] > p.limit {
		return
	}
	p.told++
	rep := view.New(p.name, "", f.History, 0, &judge.Result{Anomalies: []judge.Anomaly{f.Anomaly}})
	if p.json {
		p.object(struct {
			Event        string       `json:"event"`
			At           int64        `json:"at"`
			Anomaly      view.Anomaly `json:"anomaly"`
			Transactions []view.Txn   `json:"transactions"`
		}{"anomaly", f.At, rep.Anomalies[0], rep.Transactions})
		return
	}
	var b bytes.Buffer
	if err := view.Findings(&b, rep, p.told); err != nil && p.err == nil {
		p.err = err
	}
	p.write(b.Bytes())
}

// lost prints that a level has become unknown.
func (p *printer) lost(l isolation.Level, why string, at int64) {
	if p.json {
		p.object(struct {
			Event string `json:"event"`
			At    int64  `json:"at"`
			Level string `json:"level"`
			Why   string `json:"why"`
		}{"unknown", at, l.String(), quote.Line(why)})
		return
	}
	p.write(fmt.Appendf(nil, "\n%s is unknown after transaction %d: %s\n", l, at, quote.Line(why)))
}

// level is the answer about a level.
type level struct {
	Verdict string `json:"verdict"` // accept, reject or unknown
	Why     string `json:"why,omitempty"`
}

// end prints the answer.
func (p *printer) end(ctx context.Context, r *Result) {
	counts := map[string]int{}
	for k, n := range r.Violations {
		counts[k.String()] = n
	}
	levels := map[string]level{}
	for _, j := range r.Judgements {
		levels[j.Level.String()] = level{j.Verdict.String(), quote.Line(j.Why)}
	}
	ended := ""
	if ctx.Err() != nil {
		ended = judge.Ended(ctx)
	}
	if p.json {
		p.object(struct {
			Event        string           `json:"event"`
			History      string           `json:"history"`
			Format       string           `json:"format"`
			Transactions int64            `json:"transactions"`
			Operations   int64            `json:"operations"`
			Complete     bool             `json:"complete"`
			Ended        string           `json:"ended,omitempty"`
			Levels       map[string]level `json:"levels"`
			Counts       map[string]int   `json:"counts"`
		}{"end", quote.Line(p.name), string(r.Format), r.Txns, r.Ops, r.Complete, ended, levels, counts})
		return
	}
	p.write(p.summary(r, ended))
}

// summary is the answer as text.
func (p *printer) summary(r *Result, ended string) []byte {
	var b bytes.Buffer
	if p.told > 0 {
		b.WriteString("\n")
	}
	so := ""
	if !r.Complete {
		so = ", so far"
	}
	fmt.Fprintf(&b, "%s: %d transactions, %d operations, followed as %s%s\n", quote.Line(p.name), r.Txns, r.Ops, r.Format, so)
	if ended != "" {
		b.WriteString(ended + "\n")
	}
	b.WriteString("\n")
	for _, j := range slices.Backward(r.Judgements) {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("  %-9s %-8s %s", j.Level, j.Verdict, quote.Line(j.Why)), " "))
	}
	for _, k := range isolation.Anomalies() {
		if more := p.printed[k] - p.limit; more > 0 {
			fmt.Fprintf(&b, "%d more of %s are not shown; -limit shows more\n", more, k)
		}
	}
	return b.Bytes()
}

// Help says what -follow does, for a help text.
const Help = "With -follow the one FILE is a recording that grows. Findings are printed at\n" +
	"once, and the answer at the end: that of standard input or of a compact\n" +
	"recording, or after -until-idle, an interrupt or -timeout. Where another file\n" +
	"takes the place of FILE it is read next. Only a window of transactions is\n" +
	"remembered, so that a level may be unknown that the whole file would decide:\n" +
	"docs/checkers.md says when. Formats: edn with a map a line, plume, compact.\n" +
	"Levels: RC, RA, CC, SI, SER. Data: registers and lists."
