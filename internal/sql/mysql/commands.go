package mysql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
)

// send writes that the client sends a statement. Variables of the user that the
// transaction has set stay in the text: the server has them.
func (b *builder) send(st *statement) {
	s := &ir.Send{At: b.at, Reads: b.onlyReads(st), Apart: st.first("SET") || st.first("SAVEPOINT") || st.first("RELEASE") || st.first("ROLLBACK")}
	set := targets(st)
	marks, from := b.marks, st.tokens[0].from
	for _, t := range st.tokens {
		name := ""
		a := ir.SendArg{}
		switch {
		case t.kind == mark:
			marks++
			for name = "p" + strconv.Itoa(marks); b.taken[name]; {
				name += "_"
			}
			a.Number = len(s.Args) + 1
		case t.kind == named:
			name = strings.ToLower(t.text[1:])
			if _, known := b.locals[name]; known || t.text[0] == '@' && slices.Contains(set, t.text[1:]) {
				continue
			}
		default:
			continue
		}
		a.Expr = ir.V(name)
		s.Text, s.Args = append(s.Text, st.src.text[from:t.from]), append(s.Args, a)
		from = t.to
	}
	s.Text = append(s.Text, st.src.text[from:st.tokens[len(st.tokens)-1].to])
	if (st.first("SELECT") || st.first("(")) && len(set) == 0 {
		s.Result = ir.Rows
	}
	b.body = append(b.body, s)
}

// onlyReads reports whether a statement only reads, without locks.
func (b *builder) onlyReads(st *statement) bool {
	return st.first("SELECT") && !st.has("UPDATE", "SHARE") && b.l.plainCalls(st)
}

// forget leaves values out that nothing declares: of statements that are not modelled.
func (b *builder) forget() {
	for _, s := range b.body {
		c, ok := s.(*ir.Send)
		if !ok {
			continue
		}
		for i := range c.Args {
			if v, ok := c.Args[i].Expr.(*ir.Var); ok {
				if _, known := b.txn.LocalType(v.Name); !known {
					c.Args[i].Expr = nil
				}
			}
		}
	}
}

// declared keeps a statement that makes the schema.
func (l *loader) declared(st *statement) {
	switch {
	case st.first("CREATE", "DATABASE"), st.first("CREATE", "SCHEMA"), st.first("CREATE", "USER"), st.first("CREATE", "ROLE"), st.first("DROP", "DATABASE"),
		st.first("DROP", "SCHEMA"), st.first("DROP", "USER"), st.first("ALTER", "USER"), st.first("ALTER", "DATABASE"), st.first("TRUNCATE"), st.first("CREATE", "TRIGGER"), st.first("CREATE", "SERVER"):
		return
	}
	l.prog.Schema = append(l.prog.Schema, ir.Declaration{Pos: st.pos(), Text: st.src.text[st.tokens[0].from:st.tokens[len(st.tokens)-1].to]})
}
