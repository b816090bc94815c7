package witness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/folder"
	"github.com/txrobust/robust/internal/quote"
)

// jsonFile is the file by which a folder is known to hold a witness, planFile the one
// that is replayed.
const (
	jsonFile = "witness.json"
	planFile = "replay.json"
)

// witnesses is what a folder with a witness is.
var witnesses = folder.Kind{Mark: jsonFile, Ours: regexp.MustCompile(`^(witness\.json|replay\.json|README\.txt|schema\.sql|setup\.sql|history|[0-9]+-[^/]*\.sql)$`).MatchString}

// Write stores the witness in the folder dir:
//
//	witness.json  everything, as the type Witness describes it
//	README.txt    what happens, and which lines to run in which order
//	replay.json   what robust replay runs, as the type Plan describes it
//	schema.sql    the tables and functions
//	setup.sql     the initial rows
//	1-name.sql …  a psql script per session
//	history/      the files of histories, such as those of package crosscheck
//
// SQL files are there only for programs that are told in PostgreSQL's dialect, and
// where the client can run the execution. The folder appears when it is complete. A
// folder that holds another witness is replaced; one that holds anything else is an
// error.
func (w *Witness) Write(dir string, histories []codec.File) error {
	files, err := w.Files(histories)
	if err != nil {
		return err
	}
	return witnesses.Write(dir, func(put folder.Put) error {
		for _, f := range files {
			if err := put(f.Name, f.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

// Replaceable reports an error unless dir is absent, empty, or a witness.
func Replaceable(dir string) error { return witnesses.Replaceable(dir) }

// Files are what Write writes.
func (w *Witness) Files(histories []codec.File) ([]codec.File, error) {
	var out []codec.File
	put := func(name string, x any) error {
		js, err := quote.EncodeJSON(x, "  ")
		out = append(out, codec.File{Name: name, Text: js})
		return err
	}
	if err := put(jsonFile, w); err != nil {
		return nil, err
	}
	if w.Plan != nil && w.Plan.NotRun == "" {
		if err := put(planFile, w.Plan); err != nil {
			return nil, err
		}
	}
	scripts, where := w.scripts()
	if scripts != nil {
		out = append(out, codec.File{Name: "schema.sql", Text: w.schemaFile()},
			codec.File{Name: "setup.sql", Text: []byte("-- The rows to start with. The tables must exist.\n\n" + strings.Join(append(w.session(), w.Setup...), "\n") + "\n")})
		out = append(out, scripts...)
	}
	readme := w.readme(scripts, where)
	if len(histories) > 0 {
		readme += fmt.Sprintf("\nThe folder history has the execution as recorded histories, for checkers of isolation levels\n(robust history check): %s accepts history/registers, and SER rejects history/lists.\n", strings.ToUpper(w.Isolation))
	}
	for _, f := range histories {
		out = append(out, codec.File{Name: "history/" + f.Name, Text: f.Text})
	}
	return append(out, codec.File{Name: "README.txt", Text: []byte(readme)}), nil
}

// session are the statements that each session runs first.
func (w *Witness) session() []string {
	var out []string
	for _, sql := range w.Plan.Session {
		out = append(out, sql+";")
	}
	return out
}

// schemaFile is the schema as a script. What nothing depends on may fail.
func (w *Witness) schemaFile() []byte {
	var b strings.Builder
	b.WriteString("-- The tables and functions, as the program declares them.\n")
	for _, d := range w.Plan.Schema {
		b.WriteString("\n" + terminated(d.SQL, ";") + "\n")
	}
	return []byte(b.String())
}

// ReadPlan reads what a folder with a witness says about running it.
func ReadPlan(dir string) (*Plan, error) {
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, is := os.Stat(filepath.Join(dir, jsonFile)); is == nil {
			return nil, fmt.Errorf("%s: clients of a database cannot run this witness: README.txt says why", dir)
		}
		return nil, fmt.Errorf("%s: there is no witness here; robust check -witness %[1]s writes one", dir)
	}
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("%s: %w; robust check -witness writes it anew", filepath.Join(dir, planFile), err)
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w; robust check -witness writes it anew", filepath.Join(dir, planFile), err)
	}
	return p, nil
}

// first is the name of the first transaction of a session.
func (w *Witness) first(session int) string {
	for _, t := range w.Transactions {
		if t.Session == session {
			return t.Name
		}
	}
	return "session"
}

// described lists the transactions of a session.
func (w *Witness) described(session int) string {
	var parts []string
	for i := range w.Transactions {
		if t := &w.Transactions[i]; t.Session == session {
			parts = append(parts, t.Label+" = "+t.Invocation())
		}
	}
	return strings.Join(parts, ", ")
}

// readme is the text that goes with the scripts.
func (w *Witness) readme(scripts []codec.File, where []place) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", quote.Line(w.Summary()))
	for i, e := range w.Cycle {
		fmt.Fprintf(&b, "%d. %s.\n", i+1, quote.Line(e.Text))
	}
	if len(w.Cycle) > 0 {
		b.WriteString("\n")
	}
	if scripts == nil {
		b.WriteString("What happens, event by event (witness.json has it in full):\n\n")
		for _, e := range w.Schedule {
			fmt.Fprintf(&b, "  %-3s %s\n", e.Transaction, quote.Line(e.Text))
		}
		switch {
		case w.Plan == nil:
		case w.Plan.NotRun != "":
			fmt.Fprintf(&b, "\nClients of a database cannot run it: %s.\n", w.Plan.NotRun)
		default:
			b.WriteString("\nTo see it on a server, let robust replay run this folder.\n")
		}
		return b.String() + w.without()
	}
	b.WriteString("To see it on PostgreSQL, let robust replay run this folder, or use psql:\n\n")
	b.WriteString("1. Make an empty database, and load the tables and functions and the rows:\n\n")
	b.WriteString("     createdb witness\n     psql -d witness -f schema.sql\n     psql -d witness -f setup.sql\n\n")
	fmt.Fprintf(&b, "2. Open %d windows with psql -d witness, one for each numbered script.\n\n", len(scripts))
	b.WriteString("3. Paste these lines, in this order:\n\n")
	width := 0
	for _, p := range where {
		width = max(width, len(p.file))
	}
	for i, p := range where {
		number, _, _ := strings.Cut(p.file, "-")
		fmt.Fprintf(&b, "     step %-3s window %s   %-*s  lines %d to %d\n", strconv.Itoa(i+1)+":", number, width, p.file, p.first, p.last)
	}
	instead := w.Plan.Level
	if len(w.Plan.Levels) > 0 {
		instead = "the other levels"
	}
	fmt.Fprintf(&b, "\nEvery COMMIT succeeds. With SERIALIZABLE instead of %s in the scripts one\nof them should fail with SQLSTATE 40001 (PostgreSQL does not follow what foreign keys read).\n", instead)
	if slices.ContainsFunc(w.Transactions, func(t Transaction) bool { return len(t.Havocs) > 0 }) {
		b.WriteString("Values that the server chooses, such as sequences, now() or random(), will be others than in witness.json.\n")
	}
	return b.String() + w.without()
}

// without lists what the serial orders would have done.
func (w *Witness) without() string {
	var b strings.Builder
	b.WriteString("\nNo serial order gives this outcome:\n\n")
	for _, o := range w.Serial {
		fmt.Fprintf(&b, "  %s: %s\n", strings.Join(o.Order, ", "), quote.Line(strings.Join(o.Differs, "; ")))
	}
	if more := w.Orders - len(w.Serial); more > 0 && len(w.Serial) == maxOrders {
		fmt.Fprintf(&b, "  … (%d orders in all)\n", w.Orders)
	}
	return b.String()
}

// Summary names the anomaly and its transactions in one line.
func (w *Witness) Summary() string {
	var names []string
	for i := range w.Transactions {
		t := &w.Transactions[i]
		names = append(names, t.Label+" = "+t.Invocation())
	}
	kind := "anomaly"
	if w.Kind != Other {
		kind = string(w.Kind)
	}
	level := "snapshot isolation"
	switch w.Isolation {
	case "rc":
		level = "READ COMMITTED"
	case InnoDB:
		level = "InnoDB's " + w.levels()
	}
	return strings.ToUpper(kind[:1]) + kind[1:] + " under " + level + ": " + strings.Join(names, ", ")
}

// levels names the isolation levels of the transactions, each once.
func (w *Witness) levels() string {
	var out []string
	for i := range w.Transactions {
		l := w.Transactions[i].Level
		if l == "" {
			l = levelSQL[w.Isolation]
		}
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return strings.Join(out, " and ")
}
