package compare

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sqlgen"
	"github.com/txrobust/robust/sqlmodel"
)

// A folder of examples has one file for each group of constructs of SQL:
//
//	-- the title of the group
//	CREATE …;                     declarations that its examples share
//	INSERT …;                     and rows
//
//	-- ## the name of a construct
//	CREATE …;                     declarations of its own
//	---
//	SELECT …;                     statements of a transaction, each beginning a line
//
// Without the line of dashes all of it is the transaction. Where that is only SELECT * FROM
// f(…) or CALL f(…), the function is the transaction. With a line "-- psql" or "-- pgbench"
// at the beginning that program runs it.
type constructs struct {
	title, shared string
	examples      []*construct
}

// construct is an example, with what became of it.
type construct struct {
	name, decls, text string
	program           string // psql or pgbench
	status            status
	proof             bool // that a proof knows of a value only that it is a function
	part              bool // that what is not modelled is a part, without which it is exact
	why               []string
}

// status says what a front end makes of a construct.
type status string

const (
	exact      status = "exact"
	opaque     status = "opaque"
	missing    status = "left out"
	unmodelled status = "unmodelled"
	refused    status = "refused"
)

// example is the name of the transaction of an example.
const example = "example"

// parseConstructs reads a file of examples.
func parseConstructs(text string) *constructs {
	parts := strings.Split("\n"+text, "\n-- ## ")
	title, shared, _ := strings.Cut(strings.TrimSpace(parts[0]), "\n")
	g := &constructs{title: strings.TrimPrefix(title, "-- "), shared: shared + "\n"}
	for _, part := range parts[1:] {
		c := &construct{}
		c.name, c.text, _ = strings.Cut(part, "\n")
		for _, p := range []string{"psql", "pgbench"} {
			if rest, ok := strings.CutPrefix(c.text, "-- "+p+"\n"); ok {
				c.program, c.text = p, rest
			}
		}
		if decls, rest, ok := strings.Cut("\n"+c.text, "\n---\n"); ok {
			c.decls, c.text = strings.TrimPrefix(decls, "\n")+"\n", rest
		}
		c.text = strings.TrimSpace(c.text) + "\n"
		g.examples = append(g.examples, c)
	}
	return g
}

// routine gives the function whose call is the whole transaction, "" if it is none.
func (c *construct) routine() string {
	line := strings.TrimSuffix(c.text, ";\n")
	for _, call := range []string{"SELECT * FROM ", "CALL "} {
		if rest, ok := strings.CutPrefix(line, call); ok && strings.HasPrefix(rest, example) && strings.HasSuffix(rest, ")") && !strings.Contains(rest, "\n") {
			return rest
		}
	}
	return ""
}

// txn makes the transaction. Its statements are those lines of the text that end one.
func (c *construct) txn() *sqlgen.Txn {
	t := &sqlgen.Txn{Name: example, Kind: sqlgen.Script, Node: &sqlgen.Node{}}
	if c.program != "" {
		t.Node.Kids = []*sqlgen.Node{{Text: c.text}}
		return t
	}
	statement, quoted := "", false
	for _, line := range strings.SplitAfter(c.text, "\n") {
		statement += line
		quoted = quoted != (strings.Count(line, "$$")%2 == 1)
		if strings.HasSuffix(line, ";\n") && !quoted {
			t.Node.Kids = append(t.Node.Kids, &sqlgen.Node{Text: statement})
			statement = ""
		}
	}
	return t
}

// file is the application of an example.
func (g *constructs) file(c *construct) string {
	text := g.shared + c.decls
	if c.routine() != "" {
		return text
	}
	return text + source(c.txn()).String()
}

// derive finds out what the front end makes of an example.
func (g *constructs) derive(c *construct) {
	base, _ := sqlmodel.Parse([]sqlmodel.File{{Name: fileName, Text: g.shared}}, sqlmodel.Options{})
	prog, err := sqlmodel.Parse([]sqlmodel.File{{Name: fileName, Text: g.file(c)}}, sqlmodel.Options{Txns: []string{example}})
	if err != nil {
		e, ok := err.(*ir.Error)
		if c.status, c.why = refused, []string{err.Error()}; ok {
			c.why = []string{e.Msg}
		}
		return
	}
	say := func(s status, why string) {
		if c.status != s {
			c.status, c.why = s, nil
		}
		if why != "" && !slices.Contains(c.why, why) {
			c.why = append(c.why, why)
		}
	}
	say(exact, "")
	txn := prog.Txn(example)
	if txn == nil {
		say(missing, "")
	} else {
		c.look(prog, txn, say)
	}
	if c.status == unmodelled {
		return
	}
	for _, n := range prog.Notes {
		if base == nil || !slices.ContainsFunc(base.Notes, func(m ir.Note) bool { return m.Text == n.Text }) {
			say(missing, n.Text)
		}
	}
}

// look says what is in the statements of a transaction, the worst of it last.
func (c *construct) look(prog *ir.Program, txn *ir.Txn, say func(status, string)) {
	names := map[string]bool{}
	calls := func(call *ir.Call) {
		c.proof = true
		if !call.Known() {
			names[call.Name] = true
		}
		if _, is := call.Field(); !is && strings.HasPrefix(call.Name, "field ") { // of a value that is stored
			names[call.Name] = true
		}
	}
	aggregate := func(a ir.Agg) {
		switch a.Fn {
		case "min", "max":
		case "count", "sum":
			c.proof = true
		default:
			calls(&ir.Call{Name: a.Fn, Fn: a.Known})
		}
	}
	var see func(e ir.Expr)
	see = func(e ir.Expr) {
		call, ok := e.(*ir.Call)
		if !ok {
			return
		}
		calls(call)
		if call.Def == nil {
			return
		}
		ir.WalkRel(call.Def.Rel, see)
		ir.EachRel(call.Def.Rel, func(r ir.Rel) {
			if g, ok := r.(*ir.Group); ok {
				for _, a := range g.Aggs {
					aggregate(a.Agg)
				}
			}
		})
	}
	ir.WalkExprs(txn.Body, see)
	for _, t := range prog.Tables {
		for _, k := range t.Checks {
			ir.WalkExpr(k.Expr, see)
		}
	}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		if sel, ok := s.(*ir.Select); ok {
			for _, a := range sel.Aggs {
				aggregate(a)
			}
		}
	})
	ir.Walk(txn.Body, func(s ir.Stmt) {
		if h, ok := s.(*ir.Havoc); ok && !h.Fresh && h.Of != "now()" {
			if t, _ := txn.LocalType(h.Var); t != ir.BoolType || h.Of != "" {
				names[cmp.Or(h.Of, "a value that the database chooses")] = true
			}
		}
	})
	if len(names) > 0 {
		say(opaque, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		if d, ok := s.(*ir.Dropped); ok {
			say(missing, d.What)
		}
	})
	ir.Walk(txn.Body, func(s ir.Stmt) {
		if u, ok := s.(*ir.Unmodelled); ok {
			say(unmodelled, u.Reason)
		}
	})
}

// run compares an example with the server.
func (g *constructs) run(t *testing.T, s *Server, dsn string, c *construct) Finding {
	t.Helper()
	if err := s.reset(); err != nil {
		t.Fatal(err)
	}
	if err := s.exec(g.shared + c.decls); err != nil {
		return Finding{Result: Invalid, Class: err.Error()}
	}
	if err := s.sequences(); err != nil {
		t.Fatal(err)
	}
	txn, args, m, err := g.model(s, c)
	if err != nil {
		if served := s.serve(s, txn, args, ""); served.err != nil {
			return Finding{Result: Invalid, Class: served.err.Error()}
		}
		return Finding{Result: Commits}
	}
	on := &app{server: s, model: m, rows: m.rowQueries()}
	if err := on.look(); err != nil && c.status == unmodelled { // a table that the transaction makes
		return Finding{Result: Unmodelled}
	} else if err != nil {
		return Finding{Result: Wrong, Class: err.Error()}
	}
	if c.program == "" {
		return on.compare(txn, args)
	}
	in := &interp.Instance{Txn: m.prog.Txn(example), ID: 1} // nobody gives it variables
	in.Params = slices.Repeat([]ir.Value{ir.Null}, len(in.Txn.Params))
	out, err := c.serve(t, s, dsn, on.rows)
	if err != nil {
		return Finding{Result: Wrong, Class: err.Error()}
	}
	txn.Void = c.program == "pgbench" // it prints no rows
	return on.judge(txn, c.text, in, out)
}

// model translates an example for a comparison.
func (g *constructs) model(s *Server, c *construct) (*sqlgen.Txn, []*string, *Model, error) {
	if call := c.routine(); call != "" {
		name, args, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
		txn, values, err := s.routine(name, args)
		if err != nil {
			return c.txn(), nil, nil, err
		}
		m, err := translateText(s.Link, g.shared+c.decls, []string{name})
		return txn, values, m, err
	}
	txn := c.txn()
	m, err := Translate(s.Link, &sqlgen.Node{Text: g.shared + c.decls}, []*sqlgen.Txn{txn})
	return txn, nil, m, err
}

// serve runs a script with its program, and gives what it prints and the rows afterwards.
func (c *construct) serve(t *testing.T, s *Server, dsn, looks string) (out served, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(file, []byte("BEGIN;\n"+c.text+"COMMIT;\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-n", "-t", "1", "-f", file, dsn}
	if c.program == "psql" {
		args = []string{"-X", "-q", "-A", "-t", "-F", "\x1f", "-P", "null=\x1e", "-f", file, dsn}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, pgtest.Program(t, c.program), args...)
	var printed, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &said
	if err := cmd.Run(); err != nil {
		return out, fmt.Errorf("%w: %s", err, said.String())
	}
	for line := range strings.Lines(printed.String()) {
		var r record
		for _, v := range strings.Split(strings.TrimSuffix(line, "\n"), "\x1f") {
			text := &v
			if v == "\x1e" {
				text = nil
			}
			r.texts, r.types = append(r.texts, text), append(r.types, nil)
		}
		out.out = append(out.out, r)
	}
	out.after, err = s.run(looks)
	return out, err
}

// fits says whether a comparison found what a status promises.
func (s status) fits(r Result) bool {
	switch s {
	case exact:
		return r == Commits || r == Aborts
	case opaque, missing:
		return r != Wrong && r != Invalid && r != Unmodelled
	case unmodelled:
		return r != Wrong && r != Invalid
	}
	return r == Commits || r == Invalid
}

// TestConstructs derives what the front end makes of each construct of SQL from the translation
// of an example, compares the example with a server, and writes docs/sql.md down.
func TestConstructs(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	s, err := NewServer(t.Context(), Postgres(server.Conn(t, dsn)))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "testdata", "constructs", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var groups []*constructs
	count := map[status]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g := parseConstructs(string(text))
		groups = append(groups, g)
		for _, c := range g.examples {
			g.derive(c)
			count[c.status]++
			f := g.run(t, s, dsn, c)
			if !c.status.fits(f.Result) {
				t.Errorf("%s: %s: %s is %s, and the comparison says: %s, %s\n%s", file, g.title, c.name, c.status, f.Result, f.Class, f.Details)
			}
			if c.status == exact && f.Opaque {
				t.Errorf("%s: %s is exact, and the interpreter used a function that it does not know", file, c.name)
			}
			if c.status == unmodelled && (f.Result == Commits || f.Result == Aborts) {
				c.part = true
			}
			if c.status == refused && f.Result == Commits {
				c.why = append(c.why, "PostgreSQL runs it")
			}
		}
	}
	if count[exact] < 100 {
		t.Errorf("there are only %d exact constructs", count[exact])
	}
	t.Logf("%v", count)
	golden.Compare(t, filepath.Join("..", "..", "..", "docs", "sql.md"), page(groups, count))
}

// page is the table.
func page(groups []*constructs, count map[status]int) string {
	var b strings.Builder
	total := 0
	for _, n := range count {
		total += n
	}
	fmt.Fprintf(&b, `# SQL

What becomes of the constructs of PostgreSQL's SQL: %d of them, each with an example in `+"`internal/sqlgen/testdata/constructs`"+`. The status is read off the
translation of the example, and the example runs on a server and in the interpreter, which must agree. This page is written by
`+"`go test ./internal/sqlgen/compare -run TestConstructs -update`"+`.

| status | constructs | what it says |
| --- | --- | --- |
| exact | %d | it is computed as the server computes it |
| opaque | %d | a value of it is not computed: equal arguments give equal results |
| left out | %d | a part of it is left out or taken for granted, and a note says which |
| unmodelled | %d | the statement may do anything to its tables, for this reason |
| refused | %d | it is an error of the input |

*Partly*: an unmodelled part stands beside others, and where control does not come to it, the example is exact. *Function*: the interpreter computes it, and a proof knows of some value only that equal rows or arguments give equal results.
`, total, count[exact], count[opaque], count[missing], count[unmodelled], count[refused])
	cell := func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ")
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| construct | status | |\n| --- | --- | --- |\n", g.title)
		for _, c := range g.examples {
			why := strings.Join(c.why, "; ")
			if c.status == exact && c.proof {
				why = "function"
			}
			name := string(c.status)
			if c.part {
				name = "partly"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(c.name), name, cell(why))
		}
	}
	return b.String()
}
