package syntax

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
)

// SQLStatement is a statement of an SQL function.
type SQLStatement struct {
	Tree any
	Node *pg.Node
	Pos  ir.Pos
}

// StatementTree reads RETURN expr as the SELECT that it means.
func StatementTree(n *pg.Node) any {
	if r, ok := pg.Inner(n).(*pg.ReturnStmt); ok {
		return pg.SelectOf(r.Returnval)
	}
	return pg.Inner(n)
}

// StatementAt gives the place of the statement of a BEGIN ATOMIC body in which
// an offset lies.
func (s *Source) StatementAt(off int) ir.Pos {
	i := min(s.FirstToken(off), len(s.Toks)-1)
	for i > 0 {
		prev := s.Toks[i-1]
		if prev.Kind == pg.Punct && prev.Text == ";" || prev.Kind == pg.Word && prev.Text == "atomic" {
			break
		}
		if s.Toks[i].Kind == pg.Word && s.Toks[i].Text == "return" {
			break
		}
		i--
	}
	for i < len(s.Toks)-1 && s.Toks[i].Kind == pg.Comment {
		i++
	}
	return s.Pos(s.Toks[i].Start)
}

// AlwaysOneRow reports whether a query has exactly one row.
func AlwaysOneRow(s *pg.SelectStmt) bool {
	return len(s.ValuesLists) == 0 && (len(s.FromClause) == 0 && s.WhereClause == nil || HasAggregates(s.TargetList) && len(s.GroupClause) == 0)
}

// CommandName names a command that is not modelled.
func CommandName(tree any) string {
	name := strings.TrimSuffix(strings.TrimPrefix(TypeName(tree), "*ast."), "Stmt")
	switch name {
	case "Truncate":
		return "TRUNCATE, which takes the rows away from older snapshots, too (DELETE does not)"
	case "Do":
		return "DO"
	case "Copy":
		return "COPY"
	case "Transaction":
		return "transaction control inside of a function"
	case "Create", "CreateTableAs":
		return "CREATE TABLE inside of a function"
	case "Update":
		return "UPDATE"
	case "Delete":
		return "DELETE"
	case "Insert":
		return "INSERT"
	}
	return "the command " + name
}

// Isolation gives the level among the options of a transaction, or "".
func Isolation(options []*pg.Node) string {
	for _, n := range options {
		d, ok := pg.Inner(n).(*pg.DefElem)
		if !ok || d.Defname != "transaction_isolation" {
			continue
		}
		if c, ok := pg.Inner(d.Arg).(*pg.A_Const); ok {
			return c.GetSval().GetSval()
		}
	}
	return ""
}

// SetsIsolation gives the isolation level that SET or RESET gives to the running transaction, ""
// for the default; is says that it gives one. A level that is not known counts as the lowest.
func SetsIsolation(s *pg.VariableSetStmt) (level string, is bool) {
	switch {
	case s.Kind == pg.SetMulti && s.Name == "TRANSACTION":
		level = Isolation(s.Args)
		return level, level != ""
	case !strings.EqualFold(s.Name, "transaction_isolation"):
		return "", false
	}
	return levelValue(s), true
}

// DropsChecks reports whether SET makes a session one that replays what others did: foreign keys and
// ordinary triggers do not run in it.
func DropsChecks(s *pg.VariableSetStmt) bool {
	if s.Kind != pg.SetValue || !strings.EqualFold(s.Name, roleOfSession) || len(s.Args) != 1 {
		return false
	}
	c, ok := pg.Inner(s.Args[0]).(*pg.A_Const)
	return !ok || checksDropped(c.GetSval().GetSval())
}

// ConfigDropsChecks is DropsChecks of a call of set_config, whose value may not be known.
func ConfigDropsChecks(call *pg.FuncCall) bool {
	if len(call.Args) != 3 {
		return false
	}
	if name, known := constantText(call.Args[0]); known && !strings.EqualFold(name, roleOfSession) {
		return false
	}
	value, known := constantText(call.Args[1])
	return !known || checksDropped(value)
}

const roleOfSession = "session_replication_role"

func checksDropped(value string) bool {
	return !strings.EqualFold(value, "origin") && !strings.EqualFold(value, "local")
}

// ChecksDropped says why nothing is known of what a transaction does that has no checks.
const ChecksDropped = "session_replication_role, which turns off foreign keys and triggers"

// SQLText is the text of a statement.
func (n *Node) SQLText() string {
	from := n.Text.Offset(int(n.Raw.StmtLocation))
	to := n.Text.Offset(int(n.Raw.StmtLocation + n.Raw.StmtLen))
	if n.Raw.StmtLen == 0 { // it goes to the end of its text, which may be a part of a file
		to = n.Text.Offset(len(n.Text.SQL)-1) + 1
	}
	return n.Src.Text[from:min(to, len(n.Src.Text))]
}

// StatementSpan gives where a statement stands in a text, without the comments before
// it.
func StatementSpan(t *Text, raw *pg.RawStmt) (from, to int) {
	from, to = int(raw.StmtLocation), len(t.SQL)
	if raw.StmtLen > 0 {
		to = from + int(raw.StmtLen)
	}
	for {
		rest := strings.TrimLeft(t.SQL[from:to], " \t\r\n;")
		from = to - len(rest)
		switch {
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return to, to
			}
			from += n
		case strings.HasPrefix(rest, "/*"):
			from += BlockComment(rest)
		default:
			return from, from + len(strings.TrimRight(rest, " \t\r\n;"))
		}
	}
}

// StatementSpans splits a text at the semicolons that end statements: where each
// begins and ends, and where its first token is.
func StatementSpans(toks []pg.Token, end int) [][3]int {
	var out [][3]int
	from, first, blocks := 0, -1, 0
	last := ""
	for _, t := range toks {
		if t.Kind == pg.Comment {
			continue
		}
		if first < 0 {
			first = t.Start
		}
		switch {
		case t.Kind == pg.Word && t.Text == "atomic" && last == "begin":
			blocks = 1
		case t.Kind == pg.Word && t.Text == "case" && blocks > 0:
			blocks++
		case t.Kind == pg.Word && t.Text == "end" && blocks > 0:
			blocks--
		case t.Kind == pg.Punct && t.Text == ";" && blocks == 0:
			out = append(out, [3]int{from, t.End, first})
			from, first = t.End, -1
		}
		last = t.Text
	}
	if first >= 0 {
		out = append(out, [3]int{from, end, first})
	}
	return out
}
