package load

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/ddl"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/wellformed"
)

// Finish completes the program.
func (l *Loader) Finish() error {
	l.somewhere()
	files := slices.Clone(l.Files)
	for _, name := range SortedNames(l.programFiles()) {
		files = append(files, input.File{Name: name})
	}
	l.UndeclaredSchemas()
	l.CircularViews()
	input.SortNotes(l.Notes, files)
	l.Prog.Notes = l.Notes
	if p := l.Standard.All; len(p) > 0 {
		l.Prog.SearchPath = p[0]
	}
	l.TablesFirst()
	if !l.In.MySQL {
		l.PathsOfFiles()
	}
	if err := wellformed.Check(l.Prog); err != nil {
		return fmt.Errorf("internal error: the translation of the SQL is inconsistent: %w", err)
	}
	return nil
}

// somewhere declares a table where there is none, but some statement may touch
// any: two of them may touch the same.
func (l *Loader) somewhere() {
	any := false
	for _, txn := range l.Prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			u, ok := s.(*ir.Unmodelled)
			any = any || ok && u.Tables == nil
		})
	}
	if any && len(l.Prog.Tables) == 0 {
		l.Prog.Tables = []*ir.Table{{Name: "unknown", Rowid: true, Key: []int{0}, Columns: []ir.Column{{Name: "rowid", Type: ir.IntType, NotNull: true}}}}
	}
}

// ReadAll reads what the files, and the statements of a client program, declare.
func (l *Loader) ReadAll() error {
	l.StartPaths()
	inside := l.Included()
	for i, f := range l.Files {
		if err := l.Ended(); err != nil {
			return err
		}
		switch {
		case i < l.Unnamed:
			l.Unread.Files[f.Name] = true
			if !inside[f.Name] {
				l.found(f)
			}
		case !inside[f.Name] || len(inside) == len(l.Files): // all of them only where they include each other
			l.file(f)
		}
	}
	for _, again := range l.Postponed {
		again()
	}
	l.SettlePaths()
	l.Reorder()
	l.obscureNamed()
	if l.In.IsProgram {
		l.Scripts = nil // what the files do by themselves
		l.readProgram()
		l.programSchema()
		if !l.In.Scripts {
			l.guess()
		}
		if err := l.Ended(); err != nil {
			return err
		}
	}
	l.lateParents()
	for _, f := range slices.Concat(l.Funcs, l.Scripts, l.Programs) {
		l.SetsPath = l.SetsPath || !f.Refs.Paths.Empty()
		l.Makes(f)
		if !l.In.IsProgram || l.In.Scripts {
			l.unknownTables(l.InsideOf(f, l.Standard), f.Refs, f.Pos)
		}
		l.Defers, l.Sets, l.Gets = l.Defers || f.Refs.Defers, l.Sets || f.Refs.Sets, l.Gets || f.Refs.Gets
		l.LocksTables = l.LocksTables || f.Refs.LocksTables || f.Refs.Dynamic
	}
	l.lateTables()
	return nil
}

// file reads a file, and those that it includes.
func (l *Loader) file(f input.File) {
	s := syntax.NewSession(l.FileSet)
	l.Path = l.NewSessionPath(s)
	u := &unitReader{l: l, s: s, file: f.Name}
	u.whole(s.Read(f))
	for _, src := range s.Srcs {
		l.Comments(src)
	}
}

// RunBlock reads a DO block, for what it does to the schema.
func (l *Loader) RunBlock(s *pg.DoStmt, n *syntax.Node) {
	if !changesTables.MatchString(n.SQLText()) {
		l.Note(n.Pos, "a DO block runs once, when the schema is made: it is left out")
		var f *schema.Function
		if FaultIn(func() { f = l.doFunction(s, n) }) == nil {
			l.RunCalls(f.Refs, n.Pos)
		}
		return
	}
	if !l.foundDo(s, n) {
		l.Note(n.Pos, "this DO block changes the schema in a way that is not read: nothing is known of what it names")
		l.forget(n.Raw, n.Pos, n.SQLText())
	}
}

// RunCalls gives up on what functions name that run once, or are called by those, and
// change the schema.
func (l *Loader) RunCalls(r *schema.Refs, pos ir.Pos) {
	seen := map[*schema.Function]bool{}
	var visit func(r *schema.Refs)
	visit = func(r *schema.Refs) {
		for _, name := range slices.Sorted(maps.Keys(l.Calls(r))) {
			for _, f := range l.LateFunctions(name) {
				if f.BodyText == nil || seen[f] {
					continue
				}
				seen[f] = true
				if changesTables.MatchString(f.BodyText.SQL) {
					l.Note(pos, "%s runs once and changes the schema: nothing is known of what it names", name)
					l.forget(nil, pos, f.BodyText.SQL)
				}
				if f.Refs != nil {
					visit(f.Refs)
				}
			}
		}
	}
	visit(r)
}

// Loader reads the files and statements of an application into its Schema.
type Loader struct{ *ddl.Definer }

// NewLoader begins an application, of which ReadAll reads the declarations.
func NewLoader(in schema.Input) (*Loader, error) {
	s, err := schema.NewSchema(in)
	if err != nil {
		return nil, err
	}
	l := &Loader{&ddl.Definer{Schema: s}}
	s.Runs = l
	return l, nil
}
