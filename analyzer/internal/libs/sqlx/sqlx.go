package sqlx

import (
	"go/types"
	"regexp"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// New models github.com/jmoiron/sqlx: what it has beside database/sql.
func New(*program.Program) *session.Library {
	const path = "github.com/jmoiron/sqlx"
	return &session.Library{
		Names: program.Names{
			Handles:  map[string]string{path + ".DB": "db", path + ".Conn": "db", path + ".Tx": "tx"},
			Prepared: []string{path + ".Stmt", path + ".NamedStmt"},
			Results:  map[string]program.Role{path + ".Rows": program.QueryRole, path + ".Row": program.QueryRowRole, path + ".Stmt": program.PrepareRole},
			Methods: map[string]program.Role{
				"MustExec": program.ExecRole, "MustExecContext": program.ExecRole, "Queryx": program.QueryRole, "QueryxContext": program.QueryRole,
				"QueryRowx": program.QueryRowRole, "QueryRowxContext": program.QueryRowRole,
				"Beginx": program.BeginRole, "BeginTxx": program.BeginRole, "MustBegin": program.BeginRole, "MustBeginTx": program.BeginRole,
				"PrepareNamed": program.PrepareRole, "PrepareNamedContext": program.PrepareRole, "Preparex": program.PrepareRole, "PreparexContext": program.PrepareRole,
				"Get": program.GetRole, "GetContext": program.GetRole, "Select": program.SelectRole, "SelectContext": program.SelectRole,
				"NamedExec": program.NamedExecRole, "NamedExecContext": program.NamedExecRole, "NamedQuery": program.NamedRowsRole, "NamedQueryContext": program.NamedRowsRole,
				"Rebind": program.SameRole, "Stmtx": program.SameRole, "StmtxContext": program.SameRole, "Unsafe": program.WithRole,
			},
			Uses: []string{path + ".Get", path + ".GetContext", path + ".Select", path + ".SelectContext", path + ".NamedExec", path + ".NamedExecContext",
				path + ".NamedQuery", path + ".NamedQueryContext", path + ".MustExec", path + ".MustExecContext"},
		},
		Functions: map[string]session.CallModel{
			path + ".Get": session.SendsThrough(program.GetRole), path + ".GetContext": session.SendsThrough(program.GetRole),
			path + ".Select": session.SendsThrough(program.SelectRole), path + ".SelectContext": session.SendsThrough(program.SelectRole),
			path + ".NamedExec": session.SendsThrough(program.NamedExecRole), path + ".NamedExecContext": session.SendsThrough(program.NamedExecRole),
			path + ".NamedQuery": session.SendsThrough(program.NamedRowsRole), path + ".NamedQueryContext": session.SendsThrough(program.NamedRowsRole),
			path + ".MustExec": session.SendsThrough(program.ExecRole), path + ".MustExecContext": session.SendsThrough(program.ExecRole),
			path + ".Rebind":            session.GivesLast,
			"(*" + path + ".DB).Rebind": session.GivesLast, "(*" + path + ".Tx).Rebind": session.GivesLast,
			path + ".In":                   in,
			path + ".Named":                binding(0),
			path + ".BindNamed":            binding(1),
			"(*" + path + ".DB).BindNamed": binding(1), "(*" + path + ".Tx).BindNamed": binding(1),
		},
		Named:  func(*memory.Handle) bool { return true },
		Method: method,
	}
}

// rewriting models a function that rewrites a statement: what it gives is a text and the
// values for it.
func rewriting(text func(s *session.Session, args []memory.Value) (sqltext.Fragment, bool)) session.CallModel {
	return func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
		f, ok := text(s, inv.Args)
		if !ok {
			return nil, false
		}
		return sqltext.TextAndArgs(s, inv.T, f), true
	}
}

// in models In. Where the values are not known, or the text is one of several, lists are a part of the text that is
// not known, and so are all values.
func in(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
	if v, ok := rewriting(expandLists)(s, inv); ok {
		return v, true
	}
	sql := s.ScalarOf(inv.Args[0])
	var texts []string
	for _, t := range s.TextsOf(sql.E) {
		if strings.TrimSpace(strings.ReplaceAll(t, client.Hole, "")) == "" {
			return nil, false
		}
		texts = append(texts, oneList.ReplaceAllString(t, "${1}"+client.Hole+")"))
	}
	s.EmitExpr(sql.E)
	for _, a := range inv.Args[1:] {
		s.EmitValue(a)
	}
	out := s.Quiet(inv.T).(memory.Tuple)
	out[0] = s.WithTexts(out[0], texts)
	return out, true
}

// oneList is a list of which a statement has one mark.
var oneList = regexp.MustCompile(`(?i)(\bIN\s*\(\s*)\?\s*\)`)

// expandLists is sqlx.In.
func expandLists(s *session.Session, args []memory.Value) (sqltext.Fragment, bool) {
	list, ok := s.ListOf(args[len(args)-1])
	text, known := memory.ConstText(args[0])
	if !ok || !known {
		return sqltext.Fragment{}, false
	}
	return (&sqltext.Writer{Session: s}).Filled(text, list), true
}

// bindNames is sqlx.Named. What stands in a part of the text that is not known may have any of the values.
func bindNames(s *session.Session, args []memory.Value) (sqltext.Fragment, bool) {
	sql := s.ScalarOf(args[0]).E
	text := s.TextsOf(sql)[0]
	named := s.NamedArgs(args[1])
	if named == nil {
		return sqltext.Fragment{}, false
	}
	if strings.TrimSpace(strings.ReplaceAll(text, client.Hole, "")) == "" {
		return sqltext.Fragment{}, false
	}
	if strings.Contains(text, client.Hole) {
		s.EmitExpr(sql)
		s.EmitValue(args[1])
		if halves.MatchString(text) {
			return sqltext.Fragment{}, false
		}
	}
	return byColon(text, named)
}

// halves are names of which a part may be in a hole.
var halves = regexp.MustCompile(`:[A-Za-z_0-9.]*` + client.Hole + `|` + client.Hole + `[A-Za-z_0-9.]`)

// binding models Named and BindNamed, with their text behind some arguments. Where that is one of several, it keeps the
// names, and gets what has the values for all of them.
func binding(from int) session.CallModel {
	return func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
		args := inv.Args[from:]
		if len(s.TextsOf(s.ScalarOf(args[0]).E)) > 1 && s.NamedArgs(args[1]) != nil {
			out := s.Quiet(inv.T).(memory.Tuple)
			out[0], out[1] = args[0], &memory.List{Elems: args[1:]}
			return out, true
		}
		return rewriting(func(s *session.Session, _ []memory.Value) (sqltext.Fragment, bool) { return bindNames(s, args) })(s, inv)
	}
}

// method models statements that are prepared with names for their parameters.
func method(s *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
	args := s.WithoutContext(sig, inv.Args[1:])
	switch recv := memory.Unbox(inv.Args[0]).(type) {
	case *memory.Handle:
		if strings.HasPrefix(name, "PrepareNamed") && len(args) > 0 {
			return s.Answer(inv.T, &memory.Prepared{H: recv, SQL: args[len(args)-1], ByName: true}), true
		}
	case *memory.Prepared:
		if !recv.ByName || len(args) == 0 {
			break
		}
		switch r := s.P.Know.Methods[name]; r {
		case program.ExecRole, program.QueryRole, program.QueryRowRole, program.GetRole, program.SelectRole:
			return sendByName(s, inv, recv, r, args)
		}
	}
	return nil, false
}

// byColon puts values in the places of :name. ok is false if one has none.
func byColon(text string, named []client.Arg) (sqltext.Fragment, bool) {
	var out sqltext.Fragment
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'' || c == '"': // a text, or a name in quotes
			j := strings.IndexByte(text[i+1:], c)
			if j < 0 {
				return sqltext.Fragment{}, false
			}
			out.Text += text[i : i+j+2]
			i += j + 1
		case c == ':' && i+1 < len(text) && text[i+1] == ':': // :: stands for one colon
			out.Text += ":"
			i++
		case c == ':' && i+1 < len(text) && (text[i+1] == '_' || text[i+1] >= 'A' && text[i+1] <= 'Z' || text[i+1] >= 'a' && text[i+1] <= 'z'):
			j := i + 1
			for j < len(text) && (text[j] == '_' || text[j] == '.' || text[j] >= '0' && text[j] <= '9' || text[j] >= 'A' && text[j] <= 'Z' || text[j] >= 'a' && text[j] <= 'z') {
				j++
			}
			found := false
			for _, n := range named {
				if n.Name == text[i+1:j] {
					out = out.Plus(sqltext.Frag(sqltext.ParamMark, memory.Of(n.Expr, client.Any)))
					found = true
					break
				}
			}
			if !found {
				return sqltext.Fragment{}, false
			}
			i = j - 1
		default:
			out.Text += string(c)
		}
	}
	return out, true
}

// sendByName sends a prepared statement whose last argument has the values for
// its names.
func sendByName(in *session.Session, inv *session.Invocation, p *memory.Prepared, r program.Role, args []memory.Value) (memory.Value, bool) {
	text, ok := memory.ConstText(p.SQL)
	last := args[len(args)-1]
	var sql memory.Value = memory.Of(client.C(ir.Text(client.Hole)), client.Text)
	var vals []memory.Value
	if named := in.NamedArgs(last); ok && named != nil {
		if f, all := byColon(text, named); all {
			text, vals = f.Numbered()
			sql = memory.Of(client.C(ir.Text(text)), client.Text)
		}
	}
	if len(vals) == 0 && ok { // nothing is known of the values
		in.EmitValue(last)
		sql = memory.Of(client.C(ir.Text(unnamed(text))), client.Text)
	}
	out := append(args[:len(args)-1:len(args)-1], sql, &memory.List{Elems: vals})
	return in.Send(inv, p.H, r, out)
}

// unnamed is a text with a part that is not known for each name.
func unnamed(text string) string {
	f := sqltext.Fragment{}
	for i := 0; i < len(text); i++ {
		if text[i] != ':' || i+1 == len(text) || text[i+1] == ':' || i > 0 && text[i-1] == ':' || !sqltext.IsIdentifier(text[i+1:i+2]) {
			f.Text += string(text[i])
			continue
		}
		f.Text += client.Hole
		for i+1 < len(text) && (sqltext.IsIdentifier(text[i+1:i+2]) || text[i+1] >= '0' && text[i+1] <= '9' || text[i+1] == '.') {
			i++
		}
	}
	return f.Text
}
