package squirrel

import (
	"go/types"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
)

// statement is a statement that github.com/Masterminds/squirrel builds. It is
// never changed, but replaced.
type statement struct {
	// verb is SELECT, INSERT, UPDATE or DELETE, "" for one that may become any.
	verb string
	// runner is what the statement is sent through, nil if nothing is.
	runner memory.Value
	lost   bool
	table  sqltext.Fragment
	// columns are those of SELECT and INSERT, sets those of UPDATE with their values.
	columns  []sqltext.Fragment
	sets     []sqltext.Setting
	rows     [][]sqltext.Fragment
	from     sqltext.Fragment // the query of INSERT
	joins    []sqltext.Fragment
	where    []sqltext.Cond
	group    []string
	having   []sqltext.Cond
	order    []sqltext.Fragment
	limit    *sqltext.Fragment
	offset   *sqltext.Fragment
	prefix   []sqltext.Fragment
	suffix   []sqltext.Fragment
	distinct bool
}

const path = "github.com/Masterminds/squirrel"

// verbs are the types of squirrel that build statements.
var verbs = map[string]string{
	path + ".StatementBuilderType": "", path + ".SelectBuilder": "SELECT", path + ".InsertBuilder": "INSERT",
	path + ".UpdateBuilder": "UPDATE", path + ".DeleteBuilder": "DELETE",
}

// verbOf gives the verb of a type that builds statements.
func verbOf(t types.Type) (verb string, ok bool) {
	verb, ok = verbs[gotypes.TypeName(t)]
	return verb, ok && !gotypes.IsPointer(t)
}

// run models the calls of one interpretation.
type run struct{ *sqltext.Writer }

// newRun models calls of an interpretation.
func newRun(s *session.Session) *run {
	in := &run{&sqltext.Writer{Session: s}}
	in.Special = func(v memory.Value, _ string) (sqltext.Fragment, bool) {
		b, ok := memory.Unbox(v).(*statement)
		if !ok {
			return sqltext.Fragment{}, false
		}
		return sqltext.Frag("(").Plus(in.text(b), sqltext.Frag(")")), true
	}
	return in
}

// New models github.com/Masterminds/squirrel.
func New(*program.Program) *session.Library {
	l := &session.Library{
		Names: program.Names{
			Reading: []string{path},
			UsesMethod: func(m *types.Func) (uses, known bool) {
				_, known = verbOf(m.Signature().Recv().Type())
				return sends[m.Name()] != program.UnknownRole || m.Name() == "RunWith", known
			},
		},
		Functions: map[string]session.CallModel{
			path + ".Expr": func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
				return &sqltext.Raw{F: newRun(s).RawText(inv.Args)}, true
			},
		},
		Method: func(s *session.Session, inv *session.Invocation, name string, _ *types.Signature) (memory.Value, bool) {
			b, ok := memory.Unbox(inv.Args[0]).(*statement)
			if !ok {
				return nil, false
			}
			return newRun(s).onMethod(inv, b, name, inv.Args[1:])
		},
		Fresh: func(t types.Type) memory.Value {
			verb, ok := verbOf(t)
			if !ok {
				return nil
			}
			return &statement{verb: verb, lost: verb != ""}
		},
	}
	for t := range verbs {
		l.Whole = append(l.Whole, t)
	}
	for _, name := range []string{"Select", "Insert", "Replace", "Update", "Delete"} {
		l.Functions[path+"."+name] = func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			b, ok := newRun(s).begin(name, inv.Args)
			return b, ok
		}
	}
	return l
}

// sends are the methods of builders that send the statement.
var sends = map[string]program.Role{
	"Exec": program.ExecRole, "ExecContext": program.ExecRole, "Query": program.QueryRole, "QueryContext": program.QueryRole, "QueryRow": program.QueryRowRole,
	"QueryRowContext": program.QueryRowRole, "Scan": program.GetRole, "ScanContext": program.GetRole,
}

// comparisons are the types of squirrel that are maps of columns and values.
var comparisons = map[string]string{
	path + ".Eq": "=", path + ".NotEq": "<>", path + ".Lt": "<", path + ".LtOrEq": "<=",
	path + ".Gt": ">", path + ".GtOrEq": ">=", path + ".Like": "LIKE", path + ".NotLike": "NOT LIKE",
	path + ".ILike": "ILIKE", path + ".NotILike": "NOT ILIKE",
}

// begin is a function of squirrel, or a method of StatementBuilderType,
// that begins a statement.
func (in *run) begin(name string, args []memory.Value) (*statement, bool) {
	b := &statement{}
	switch name {
	case "Select":
		b.verb = "SELECT"
		in.addColumns(b, args)
	case "Insert", "Replace":
		b.verb, b.lost = "INSERT", name == "Replace"
	case "Update":
		b.verb = "UPDATE"
	case "Delete":
		b.verb = "DELETE"
	default:
		return nil, false
	}
	if b.verb != "SELECT" {
		b.table = in.textOr(args[0])
	}
	return b, true
}

// textOr is a text, or a part that is not known.
func (in *run) textOr(v memory.Value) sqltext.Fragment {
	if s, ok := memory.ConstText(v); ok {
		return sqltext.Frag(s)
	}
	if list := in.TextsOf(in.ScalarOf(v).E); len(list) == 1 {
		return sqltext.Frag(list[0])
	}
	return sqltext.Frag(client.Hole)
}

func (in *run) addColumns(b *statement, args []memory.Value) {
	names, known := in.TextArgs(args)
	for _, n := range names {
		b.columns = append(b.columns[:len(b.columns):len(b.columns)], sqltext.Frag(n))
	}
	if !known {
		b.columns = append(b.columns[:len(b.columns):len(b.columns)], sqltext.Frag(client.Hole))
	}
}

// onMethod is a method of a builder.
func (in *run) onMethod(inv *session.Invocation, b *statement, name string, args []memory.Value) (memory.Value, bool) {
	if r := sends[name]; r != program.UnknownRole {
		return in.send(inv, b, r, args), true
	}
	n := *b
	switch name {
	case "ToSql", "MustSql":
		return sqltext.TextAndArgs(in.Session, inv.T, in.text(b)), true
	case "PlaceholderFormat":
		return b, true
	case "RunWith":
		n.runner = memory.Unbox(args[0])
		return &n, true
	}
	if b.verb == "" {
		if s, ok := in.begin(name, args); ok {
			s.runner = b.runner
			return s, true
		}
	}
	if !in.add(&n, name, args) {
		for _, a := range args {
			in.EmitValue(a)
		}
		n.lost = true
	}
	return &n, true
}

// joinWords are the methods that add a join, with what stands before its text.
var joinWords = map[string]string{"Join": " JOIN ", "InnerJoin": " JOIN ", "LeftJoin": " LEFT JOIN ", "RightJoin": " RIGHT JOIN ",
	"CrossJoin": " CROSS JOIN ", "JoinClause": " "}

// add appends to a list that other statements may share.
func add[T any](to *[]T, more ...T) { *to = append((*to)[:len(*to):len(*to)], more...) }

// add adds to a statement. It reports whether the method is modelled.
func (in *run) add(n *statement, name string, args []memory.Value) bool {
	if word, ok := joinWords[name]; ok {
		add(&n.joins, sqltext.Frag(word).Plus(in.withArgs(args)))
		return true
	}
	switch name {
	case "From":
		if _, isSub := memory.Unbox(args[0]).(*statement); isSub || n.verb == "UPDATE" {
			return false
		}
		n.table = in.textOr(args[0])
	case "Where", "Having":
		in.addCondition(n, name, args)
	case "GroupBy":
		names, known := in.TextArgs(args)
		if !known {
			return false
		}
		add(&n.group, names...)
	case "OrderBy":
		names, known := in.TextArgs(args)
		for _, s := range names {
			add(&n.order, sqltext.Frag(s))
		}
		if !known {
			add(&n.order, sqltext.Frag(client.Hole))
		}
	case "OrderByClause":
		add(&n.order, in.withArgs(args))
	case "Limit", "Offset":
		f := in.Number(memory.Unbox(args[0]))
		if name == "Limit" {
			n.limit = &f
		} else {
			n.offset = &f
		}
	case "RemoveLimit":
		n.limit = nil
	case "RemoveOffset":
		n.offset = nil
	case "Prefix":
		add(&n.prefix, in.withArgs(args))
	case "Suffix":
		add(&n.suffix, in.withArgs(args))
	default:
		return in.addColumnsOrValues(n, name, args)
	}
	return true
}

// withArgs gives a text with its values.
func (in *run) withArgs(args []memory.Value) sqltext.Fragment {
	list, ok := in.ListOf(args[len(args)-1])
	text, known := memory.ConstText(args[0])
	if !ok || !known {
		for _, a := range args {
			in.EmitValue(a)
		}
		return sqltext.Frag(client.Hole)
	}
	return in.Filled(text, list)
}

// addCondition is Where or Having.
func (in *run) addCondition(n *statement, name string, args []memory.Value) {
	f, ok := in.predicate(args[0], args[1:])
	if !ok {
		in.EmitValue(args[0])
		f = sqltext.Frag(client.Hole)
	}
	c := sqltext.NewCond(f)
	c.Raw = true
	switch {
	case f.Text == "":
	case name == "Having":
		add(&n.having, c)
	default:
		add(&n.where, c)
	}
}

// addColumnsOrValues adds what a statement reads or writes. It reports whether the
// method is modelled.
func (in *run) addColumnsOrValues(n *statement, name string, args []memory.Value) bool {
	switch name {
	case "Into", "Table":
		n.table = in.textOr(args[0])
	case "Columns":
		in.addColumns(n, args)
	case "Column":
		f, ok := in.predicate(args[0], args[1:])
		if !ok {
			return false
		}
		add(&n.columns, f)
	case "RemoveColumns":
		n.columns = nil
	case "Distinct":
		n.distinct = true
	case "Set":
		s, ok := memory.ConstText(args[0])
		if !ok {
			return false
		}
		add(&n.sets, sqltext.Setting{Name: s, Value: args[1]})
	case "SetMap":
		return in.setMap(n, args[0])
	case "Values":
		list, ok := in.ListOf(args[0])
		if !ok {
			return false
		}
		var row []sqltext.Fragment
		for _, v := range list {
			row = append(row, in.ParamOf(v))
		}
		add(&n.rows, row)
	case "Select":
		sub, ok := memory.Unbox(args[0]).(*statement)
		if !ok || sub.lost {
			return false
		}
		n.from = in.text(sub)
	default:
		return false
	}
	return true
}

// setMap adds the entries of a map.
func (in *run) setMap(n *statement, m memory.Value) bool {
	list, ok := in.EntriesOf(m)
	if !ok {
		return false
	}
	var row []sqltext.Fragment
	for _, e := range list {
		if n.verb == "INSERT" {
			if e.When != nil {
				return false
			}
			n.columns = append(n.columns[:len(n.columns):len(n.columns)], sqltext.Frag(e.Key))
			row = append(row, in.ParamOf(e.V))
			continue
		}
		n.sets = append(n.sets[:len(n.sets):len(n.sets)], sqltext.Setting{Name: e.Key, Value: e.V, When: e.When})
	}
	if n.verb == "INSERT" {
		n.rows = [][]sqltext.Fragment{row}
	}
	return true
}

// predicate gives the text of a condition: a text with values, a map of columns,
// a list of conditions, or an expression. ok is false if it is not known.
func (in *run) predicate(v memory.Value, rest []memory.Value) (f sqltext.Fragment, ok bool) {
	var args []memory.Value
	for _, a := range rest {
		l, known := in.ListOf(a)
		if !known {
			in.EmitValue(a)
			return sqltext.Fragment{}, false
		}
		args = append(args, l...)
	}
	name := ""
	if b, isBox := v.(memory.Box); isBox {
		name = gotypes.TypeName(b.T)
	}
	switch x := memory.Unbox(v).(type) {
	case *sqltext.Raw:
		return x.F, true
	case *statement:
		return sqltext.Frag("(").Plus(in.text(x), sqltext.Frag(")")), true
	case *memory.Dict:
		compare := comparisons[name]
		if compare == "" && name == "" {
			compare = "="
		}
		list, known := in.EntriesOf(x)
		if !known || compare == "" {
			return sqltext.Fragment{}, false
		}
		var parts []sqltext.Fragment
		for _, e := range list {
			g := in.comparison(e.Key, compare, e.V)
			if e.When != nil {
				g = sqltext.Frag("(NOT "+sqltext.ParamMark+" OR ", memory.Of(e.When, client.Bool)).Plus(g, sqltext.Frag(")"))
			}
			parts = append(parts, g)
		}
		return sqltext.Join(parts, " AND "), true
	case *memory.List, memory.Span:
		sep := map[string]string{path + ".And": " AND ", path + ".Or": " OR "}[name]
		if sep == "" {
			return sqltext.Fragment{}, false
		}
		elems, _ := in.ListOf(x)
		var parts []sqltext.Fragment
		for _, e := range elems {
			g, known := in.predicate(e, nil)
			if !known {
				in.EmitValue(e)
				g = sqltext.Frag(client.Hole)
			}
			if g.Text != "" {
				parts = append(parts, g)
			}
		}
		if len(parts) == 0 {
			return sqltext.Fragment{}, true
		}
		return sqltext.Frag("(").Plus(sqltext.Join(parts, sep), sqltext.Frag(")")), true
	}
	if text, isText := memory.ConstText(v); isText {
		return in.Filled(text, args), true
	}
	if texts := in.TextsOf(in.ScalarOf(v).E); len(texts) == 1 {
		for _, a := range append(args, v) {
			in.EmitValue(a)
		}
		return sqltext.Frag(client.Hole), true
	}
	return sqltext.Fragment{}, false
}

// comparison compares a column with a value.
func (in *run) comparison(column, compare string, v memory.Value) sqltext.Fragment {
	if compare == "=" || compare == "<>" {
		if l, known := in.ListOf(v); known && len(l) == 0 && !memory.IsNilValue(memory.Unbox(v)) {
			if compare == "=" {
				return sqltext.Frag("(1=0)")
			}
			return sqltext.Frag("(1=1)")
		}
		f, not := in.EqualTo(column, v)
		if compare == "=" {
			return f
		}
		return not
	}
	return sqltext.Frag(column + " " + compare + " ").Plus(in.ParamOf(v))
}
