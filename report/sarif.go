package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/excerpt"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sarif"
	"github.com/txrobust/robust/internal/witness"
)

// SARIF writes reports as one log of the Static Analysis Results Interchange
// Format, version 2.1.0, with a run for each of them. version is that of the
// program.
//
// A finding is a result at the statement by which the delayed transaction reads
// what another one changes. The other statements of the cycle are related
// locations, the schedule is a code flow with a thread for each transaction, and
// the fingerprint is a partial one. What checkers of histories say of it is the property
// validation. A finding at READ COMMITTED beside the verdict on
// another level is a note, and so are an unknown verdict and
// statements that are not modelled. What is suppressed is no result, since services that show
// logs do not look at suppressions: it is a notification of the run, and so are
// parts of the input that were left out.
//
// Columns count characters. Those of files of Go, which count bytes, are counted anew from the
// file; they are left out where it cannot be read.
func SARIF(w io.Writer, reports []*Report, version string) error {
	log := sarif.NewLog()
	for _, r := range reports {
		log.Runs = append(log.Runs, sarifRun(r, version))
	}
	log.Recount(excerpt.Characters())
	out, err := log.JSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(quote.JSON(out), '\n'))
	return err
}

func sarifRun(r *Report, version string) *sarif.Run {
	run := sarif.NewRun("robust", version, sarif.InformationURI, "robust/"+r.Program+"/"+r.Engine)
	driver := run.Tool.Driver
	for _, c := range codes.All() {
		if c.ID == codes.Level {
			continue // no check says that
		}
		if c.ID == codes.LeftOut || c.ID == codes.Suppressed {
			driver.Notifications = append(driver.Notifications, descriptor(c))
			continue
		}
		driver.Rules = append(driver.Rules, descriptor(c))
	}
	add := func(res *sarif.Result) { run.Results = append(run.Results, res) }
	for i := range r.Findings {
		add(findingResult(run, &r.Findings[i], sarif.LevelError))
	}
	if r.ReadCommitted != nil {
		for i := range r.ReadCommitted.Findings {
			add(findingResult(run, &r.ReadCommitted.Findings[i], sarif.LevelNote))
		}
	}
	if r.Open != nil {
		add(openResult(run, r))
	}
	for i := range r.Apart {
		if a := &r.Apart[i]; a.Accepted == nil {
			add(apartResult(run, a))
		}
	}
	for _, h := range r.Havocs {
		res := run.NewResult(codes.Havoc, sarif.LevelNote, message(fmt.Sprintf("In %s, this is taken to do anything to %s: %s.", h.Transaction, tableList(h.Tables), h.Reason)))
		res.Locations = append(res.Locations, location(witness.Position{File: h.File, Line: h.Line, Col: h.Col}, ""))
		add(res)
	}
	inv := &sarif.Invocation{Successful: true, Notifications: []*sarif.Notification{}}
	say := func(n *sarif.Notification) { inv.Notifications = append(inv.Notifications, n) }
	if a := r.Assuming(); a != "" {
		what := " is robust, "
		if r.Verdict != Robust {
			what = " has safe transactions, "
		}
		say(notification(codes.Assumed, r.Program+what+a+".", witness.Position{}))
	}
	for _, n := range r.Premises {
		say(notification(codes.Assumed, n.Text+".", witness.Position{File: n.File, Line: n.Line, Col: n.Col}))
	}
	for _, n := range r.Notes {
		say(notification(codes.LeftOut, n.Text+".", witness.Position{File: n.File, Line: n.Line, Col: n.Col}))
	}
	for _, d := range r.Dropped {
		say(notification(codes.LeftOut, d.Text+" is left out in "+d.Transaction+".", witness.Position{File: d.File, Line: d.Line, Col: d.Col}))
	}
	for _, s := range r.Suppressed {
		say(notification(codes.Suppressed, s.Describe()+".", s.Position))
	}
	for _, a := range r.Apart {
		if a.Accepted != nil {
			say(notification(codes.Suppressed, a.Text+" ("+a.Accepted.Reason+").", a.Accepted.Position))
		}
	}
	for _, e := range r.Stale {
		say(notification(codes.Suppressed, e.Describe()+".", witness.Position{}))
	}
	run.Invocations = append(run.Invocations, inv)
	return run
}

func descriptor(c codes.Code) *sarif.Descriptor {
	level := sarif.LevelNote
	if c.Finding() {
		level = sarif.LevelError
	}
	text := func(s string) *sarif.Text { return &sarif.Text{Text: s} }
	return &sarif.Descriptor{ID: c.ID, Name: c.Name, ShortDescription: text(c.Summary), FullDescription: text(c.Text),
		Help: text(c.Text + "\n\n" + c.Repair), Configuration: sarif.NewConfiguration(level)}
}

// message is a text with items, each a line. What looks like a link, [text](target),
// would be one for who shows it; a message has none.
func message(text string, items ...string) *sarif.Message {
	lines := []string{text}
	for _, item := range items {
		lines = append(lines, "- "+item)
	}
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(quote.Line(l), "](", "] (")
	}
	return &sarif.Message{Text: strings.Join(lines, "\n")}
}

// Pivot is the place that a finding is shown at: the statement by which the
// delayed transaction, which is the first of the cycle, reads what the next one
// changes, or else the first read of the cycle that is overwritten. ok is false
// where the finding has no cycle.
func (f *Finding) Pivot() (p witness.Position, ok bool) {
	if len(f.Edges) == 0 {
		return witness.Position{}, false
	}
	return pivot(f.Edges).FromPosition, true
}

func findingResult(run *sarif.Run, f *Finding, level string) *sarif.Result {
	code, _ := codes.ByID(f.Code)
	text := fmt.Sprintf("%s: %s. %s", f.Kind, strings.Join(f.Cycle, " -> "), code.Summary)
	if len(f.Witness.Transactions) > 0 && f.Witness.Transactions[0].Level != "" {
		text = fmt.Sprintf("%s %s: %s. %s", f.Kind, f.At(), strings.Join(f.Cycle, " -> "), code.Summary)
	}
	if f.Status == Suspected {
		level, text = sarif.LevelNote, "suspected "+text
	}
	var items []string
	for _, e := range f.Edges {
		items = append(items, e.Text+" ("+places(e)+")")
	}
	for _, d := range f.Doubts {
		items = append(items, "the database may refuse it: "+d.Text)
	}
	res := run.NewResult(f.Code, level, message(text, items...))
	res.PartialFingerprints = map[string]string{codes.FingerprintVersion: f.Fingerprint}
	if len(f.Validation) > 0 {
		said := make([]string, len(f.Validation))
		for i := range said {
			said[i] = quote.Line(f.Validation[i].String())
		}
		res.Properties = map[string]any{"validation": said}
	}
	if len(f.Also) > 0 {
		if res.Properties == nil {
			res.Properties = map[string]any{}
		}
		res.Properties["also"] = f.Also
	}
	pivot, ok := f.Pivot()
	if !ok && len(f.Witness.Transactions) > 0 {
		pivot = f.Witness.Transactions[0].Position
	}
	res.Locations = append(res.Locations, location(pivot, ""))
	seen := map[witness.Position]bool{pivot: true}
	related := func(p witness.Position, text string) {
		if !seen[p] {
			seen[p] = true
			res.RelatedLocations = append(res.RelatedLocations, numbered(location(p, text), len(seen)-1))
		}
	}
	for _, e := range f.Edges {
		related(e.FromPosition, e.FromName+": "+e.Text)
		related(e.ToPosition, e.ToName+": "+e.Text)
	}
	if f.Witness != nil {
		for _, t := range f.Witness.Transactions {
			related(t.Position, "transaction "+t.Name)
		}
		res.CodeFlows = append(res.CodeFlows, codeFlow(f.Witness))
	}
	return res
}

// apartResult is a note about a write, at the write; the read is a related location.
func apartResult(run *sarif.Run, a *Apart) *sarif.Result {
	res := run.NewResult(a.Code, sarif.LevelNote, message(a.Text+". "+a.Repair))
	res.PartialFingerprints = map[string]string{codes.FingerprintVersion: a.Fingerprint}
	res.Locations = append(res.Locations, location(a.Write.Position, ""))
	res.RelatedLocations = append(res.RelatedLocations, numbered(location(a.Read.Position, a.Read.Function+" reads "+a.Table), 1))
	return res
}

// codeFlow is the schedule of a witness.
func codeFlow(w *witness.Witness) *sarif.CodeFlow {
	flow := &sarif.CodeFlow{Message: message("The schedule, a thread for each transaction; the order of execution is over all of them.")}
	for _, t := range w.Transactions {
		thread := &sarif.ThreadFlow{ID: t.Label, Message: message(t.Label + ": " + t.Invocation())}
		for i, e := range w.Schedule {
			if e.Transaction != t.Label {
				continue
			}
			p := e.Position
			if p.Line == 0 {
				p = t.Position
			}
			thread.Locations = append(thread.Locations, sarif.NewStep(i+1, location(p, eventText(e))))
		}
		flow.ThreadFlows = append(flow.ThreadFlows, thread)
	}
	return flow
}

// openResult says what is open.
func openResult(run *sarif.Run, r *Report) *sarif.Result {
	text := "Neither proved nor refuted: " + r.Open.Reason + "."
	switch {
	case len(r.Confirmed()) > 0:
		text = "Apart from the findings, neither proved nor refuted: " + r.Open.Reason + "."
	case len(r.Suppressed) > 0:
		text = "Apart from what is suppressed, neither proved nor refuted: " + r.Open.Reason + "."
	}
	var items []string
	for _, c := range r.Open.Cycles {
		items = append(items, "open: "+strings.Join(c, " -> "))
	}
	for _, s := range r.Open.Settle {
		items = append(items, "may settle it: "+s)
	}
	res := run.NewResult(codes.Unknown, sarif.LevelNote, message(text, items...))
	names := slices.Concat(r.Open.Cycles...)
	placed := false
	for _, t := range r.Transactions {
		if len(names) > 0 && !slices.Contains(names, t.Name) {
			continue
		}
		l := location(witness.Position{File: t.File, Line: t.Line, Col: 1}, "transaction "+t.Name)
		if placed {
			res.RelatedLocations = append(res.RelatedLocations, numbered(l, len(res.RelatedLocations)+1))
			continue
		}
		res.Locations = append(res.Locations, l)
		placed = true
	}
	return res
}

func notification(code, text string, p witness.Position) *sarif.Notification {
	n := &sarif.Notification{Level: sarif.LevelNote, Message: message(text), Descriptor: &sarif.Reference{ID: code}, Locations: []*sarif.Location{}}
	if p.File != "" {
		n.Locations = append(n.Locations, location(p, ""))
	}
	return n
}

// location is a place with a message, if that is not "".
func location(p witness.Position, text string) *sarif.Location {
	l := sarif.NewLocation(p.File, p.Line, p.Col)
	if text != "" {
		l.Message = message(text)
	}
	return l
}

// numbered gives a location its number in a result.
func numbered(l *sarif.Location, id int) *sarif.Location {
	l.ID = id
	return l
}
