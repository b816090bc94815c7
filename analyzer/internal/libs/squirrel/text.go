package squirrel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// text gives the text of a statement.
func (in *run) text(b *statement) sqltext.Fragment {
	var out sqltext.Fragment
	for _, p := range b.prefix {
		out = out.Plus(p, sqltext.Frag(" "))
	}
	where := sqltext.Fragment{}
	if w, _, ok := sqltext.WhereOf(b.where); ok {
		where = sqltext.Frag(" WHERE ").Plus(w)
	}
	switch {
	case b.verb == "":
		return sqltext.Frag(client.Hole)
	case b.lost:
		return b.vague()
	case b.verb == "SELECT":
		out = out.Plus(selectText(b, where))
	case b.verb == "INSERT":
		out = out.Plus(insertText(b))
	case b.verb == "UPDATE":
		out = out.Plus(sqltext.Frag("UPDATE "), b.table, sqltext.Frag(" SET "), in.setsText(b), where)
	case b.verb == "DELETE":
		out = out.Plus(sqltext.Frag("DELETE FROM "), b.table, where)
	}
	if len(b.order) > 0 {
		out = out.Plus(sqltext.Frag(" ORDER BY "), sqltext.Join(b.order, ", "))
	}
	if b.limit != nil {
		out = out.Plus(sqltext.Frag(" LIMIT "), *b.limit)
	}
	if b.offset != nil {
		out = out.Plus(sqltext.Frag(" OFFSET "), *b.offset)
	}
	for _, s := range b.suffix {
		out = out.Plus(sqltext.Frag(" "), s)
	}
	return out
}

// vague is the text of a statement of which nothing but the table is known.
func (b *statement) vague() sqltext.Fragment {
	lead := map[string]string{"SELECT": "SELECT " + client.Hole + " FROM ", "INSERT": "INSERT INTO ", "UPDATE": "UPDATE ", "DELETE": "DELETE FROM "}
	if b.table.Text == "" || b.table.Holed() {
		return sqltext.Frag(client.Hole)
	}
	return sqltext.Frag(lead[b.verb]).Plus(b.table, sqltext.Frag(" "+client.Hole))
}

func selectText(b *statement, where sqltext.Fragment) sqltext.Fragment {
	out := sqltext.Frag("SELECT ")
	if b.distinct {
		out.Text += "DISTINCT "
	}
	out = out.Plus(sqltext.Join(b.columns, ", "))
	if b.table.Text != "" {
		out = out.Plus(sqltext.Frag(" FROM "), b.table)
	}
	out = out.Plus(b.joins...).Plus(where)
	if len(b.group) > 0 {
		out.Text += " GROUP BY " + strings.Join(b.group, ", ")
	}
	if h, _, ok := sqltext.WhereOf(b.having); ok {
		out = out.Plus(sqltext.Frag(" HAVING "), h)
	}
	return out
}

func insertText(b *statement) sqltext.Fragment {
	out := sqltext.Frag("INSERT INTO ").Plus(b.table)
	if len(b.columns) > 0 {
		out = out.Plus(sqltext.Frag(" ("), sqltext.Join(b.columns, ", "), sqltext.Frag(")"))
	}
	if b.from.Text != "" {
		return out.Plus(sqltext.Frag(" "), b.from)
	}
	var rows []sqltext.Fragment
	for _, r := range b.rows {
		rows = append(rows, sqltext.Frag("(").Plus(sqltext.Join(r, ", "), sqltext.Frag(")")))
	}
	return out.Plus(sqltext.Frag(" VALUES "), sqltext.Join(rows, ", "))
}

// setsText gives what stands behind SET.
func (in *run) setsText(b *statement) sqltext.Fragment {
	var sets []sqltext.Fragment
	for _, s := range b.sets {
		g := in.ParamOf(s.Value)
		if s.When != nil {
			g = sqltext.Frag("CASE WHEN "+sqltext.ParamMark+" THEN ", memory.Of(s.When, client.Bool)).Plus(g, sqltext.Frag(" ELSE "+s.Name+" END"))
		}
		sets = append(sets, sqltext.Frag(s.Name+" = ").Plus(g))
	}
	return sqltext.Join(sets, ", ")
}

// send sends the statement through what RunWith was given.
func (in *run) send(inv *session.Invocation, b *statement, r program.Role, args []memory.Value) memory.Value {
	f := in.text(b)
	h, ok := b.runner.(*memory.Handle)
	if !ok {
		for _, a := range args {
			in.Expose(a)
		}
		if in.IsOpen() {
			in.EmitValue(b)
			in.Unknown("a statement that is sent through what is not known")
		}
		return in.Fresh(inv.T, "result", memory.Unknown)
	}
	text, vals := f.Numbered()
	if r == program.GetRole {
		list, known := in.ListOf(args[len(args)-1])
		rs := in.Statement(h, memory.Of(client.C(ir.Text(text)), client.Text), vals, f.Holed(), nil)
		in.MayNotBeSent(h, rs)
		rs.One = true
		in.Execute(rs)
		if !known {
			rs.Query.Returned = true
			return in.Fresh(inv.T, "err", memory.Unknown)
		}
		return in.Scan(rs, list)
	}
	sql := memory.Of(client.C(ir.Text(text)), client.Text)
	out, _ := in.Send(inv, h, r, []memory.Value{sql, &memory.List{Elems: vals}})
	return out
}

// joinStatements joins statements that come by several paths: a condition that
// is not on all of them gets one of its own.
func joinStatements(in *memory.Memory, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	if !memory.AllOf[*statement](vals) {
		return nil, false
	}
	first := vals[0].(*statement)
	out := *first
	for _, v := range vals {
		b := v.(*statement)
		if b.lost || b.verb != first.verb || b.runner != first.runner || b.table.Text != first.table.Text || len(b.columns) != len(first.columns) ||
			len(b.sets) != len(first.sets) || len(b.rows) != len(first.rows) || len(b.joins) != len(first.joins) || len(b.group) != len(first.group) ||
			len(b.having) != len(first.having) || b.limit != first.limit || b.offset != first.offset || len(b.prefix) != len(first.prefix) ||
			len(b.suffix) != len(first.suffix) || b.from.Text != first.from.Text || b.distinct != first.distinct {
			out.lost = true
			out.table = sqltext.Frag(client.Hole)
			if b.table.Text == first.table.Text && b.verb == first.verb && len(b.joins)+len(first.joins) == 0 {
				out.table = first.table
			}
		}
		if len(b.order) != len(out.order) {
			out.order = nil
		}
	}
	if out.lost {
		for i, e := range edges {
			in.Ahead(e, func() { in.EmitValue(vals[i]) })
		}
		return &out, true
	}
	out.where = sqltext.JoinConds(in, edges, func(i int) []sqltext.Cond { return vals[i].(*statement).where })
	return &out, true
}

// args are the values that a statement depends on.
func (b *statement) args() []memory.Scalar {
	var out []memory.Scalar
	for _, l := range [][]sqltext.Fragment{b.columns, b.joins, b.order, b.prefix, b.suffix} {
		for _, f := range l {
			out = append(out, f.Args...)
		}
	}
	for _, r := range b.rows {
		for _, f := range r {
			out = append(out, f.Args...)
		}
	}
	for _, c := range append(slices.Clone(b.where), b.having...) {
		out = append(out, c.F.Args...)
		if c.When != nil {
			out = append(out, memory.Of(c.When, client.Bool))
		}
	}
	for _, f := range []*sqltext.Fragment{b.limit, b.offset} {
		if f != nil {
			out = append(out, f.Args...)
		}
	}
	return out
}

func (b *statement) Live() bool  { return b.runner != nil && memory.IsLive(b.runner) }
func (b *statement) Sends() bool { return true }

func (b *statement) Same(o memory.Value) bool { return o == memory.Value(b) }

func (b *statement) Depends() ([]memory.Value, bool) {
	var out []memory.Value
	for _, a := range b.args() {
		out = append(out, a)
	}
	for _, s := range b.sets {
		out = append(out, s.Value)
	}
	return out, true
}

func (b *statement) Join(in *memory.Memory, _ string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	return joinStatements(in, edges, vals)
}

func (b *statement) InLoop(*memory.Memory) memory.Value {
	return &statement{verb: b.verb, runner: b.runner, table: b.table, lost: true}
}

func (b *statement) Stays(_ *memory.Memory, v memory.Value) bool {
	c, is := v.(*statement)
	return is && c.verb == b.verb && c.table.Text == b.table.Text && len(c.joins) == 0 &&
		(c.runner == b.runner || c.runner != nil && b.runner != nil && memory.SameHandle(c.runner, b.runner))
}
