package mysql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/xwb1989/sqlparser"
)

// joined writes an UPDATE or DELETE of one of several tables with FROM or USING, as PostgreSQL has them, in words of MySQL
// otherwise, and an UPDATE that sets columns of several as one for each. ok is false for another statement, and for one that has no such form: that deletes rows of
// several tables, joins others than by inner joins, or would give its parameters in another order.
func joined(sql string) (out string, ok bool) {
	defer func() {
		if recover() != nil { // the parser has faults of its own
			ok = false
		}
	}()
	node, err := sqlparser.Parse(sql)
	if err != nil {
		return "", false
	}
	switch n := node.(type) {
	case *sqlparser.Update:
		out, ok = joinedUpdate(n)
	case *sqlparser.Delete:
		out, ok = joinedDelete(n)
	}
	if !ok {
		return "", false
	}
	return inOrder(out)
}

// numbered are the names that the parser gives parameters without one.
var numbered = regexp.MustCompile(`:v(\d+)\b`)

// inOrder writes parameters without a name again; ok is false where they would have another order.
func inOrder(sql string) (out string, ok bool) {
	ok = true
	n := 0
	out = numbered.ReplaceAllStringFunc(sql, func(name string) string {
		n++
		ok = ok && name == fmt.Sprintf(":v%d", n)
		return "?"
	})
	return out, ok
}

// joinedTables is a list of tables that are joined by commas and inner joins.
type joinedTables struct {
	tables []*sqlparser.AliasedTableExpr
	conds  []string
}

// add takes over tables; it reports whether all joins are inner ones.
func (j *joinedTables) add(list sqlparser.TableExprs) bool {
	for _, e := range list {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			j.tables = append(j.tables, e)
		case *sqlparser.ParenTableExpr:
			if !j.add(e.Exprs) {
				return false
			}
		case *sqlparser.JoinTableExpr:
			if e.Join != sqlparser.JoinStr && e.Join != sqlparser.StraightJoinStr || len(e.Condition.Using) > 0 || !j.add(sqlparser.TableExprs{e.LeftExpr, e.RightExpr}) {
				return false
			}
			if e.Condition.On != nil {
				j.conds = append(j.conds, sqlparser.String(e.Condition.On))
			}
		}
	}
	return true
}

// take gives the table of a name, and leaves it out; nil if there is none.
func (j *joinedTables) take(name string) *sqlparser.AliasedTableExpr {
	for i, t := range j.tables {
		own := t.As.String()
		if table, ok := t.Expr.(sqlparser.TableName); ok && own == "" {
			own = table.Name.String()
		}
		if strings.EqualFold(own, name) {
			j.tables = append(j.tables[:i:i], j.tables[i+1:]...)
			return t
		}
	}
	return nil
}

// write writes the tables behind a word, and the conditions.
func (j *joinedTables) write(word string, where *sqlparser.Where) string {
	var b strings.Builder
	for i, t := range j.tables {
		if i > 0 {
			word = ","
		}
		b.WriteString(" " + word + " " + sqlparser.String(t))
	}
	conds := j.conds
	if where != nil {
		conds = append(conds, sqlparser.String(where.Expr))
	}
	if len(conds) > 0 {
		b.WriteString(" WHERE (" + strings.Join(conds, ") AND (") + ")")
	}
	return b.String()
}

// part is what an UPDATE of several tables sets in one of them.
type part struct {
	target  string
	columns []string
	sets    []string
	values  []sqlparser.SQLNode
}

// joinedUpdate writes one UPDATE for each table that an UPDATE of several sets columns of, one after the other. They are the same statement if none sees what
// another one has set.
func joinedUpdate(n *sqlparser.Update) (string, bool) {
	j := &joinedTables{}
	if !j.add(n.TableExprs) || len(j.tables) < 2 || n.OrderBy != nil || n.Limit != nil {
		return "", false
	}
	parts, ok := parted(n.Exprs)
	if !ok || len(parts) > 1 && !apart(n, parts, j) {
		return "", false
	}
	var out []string
	for _, p := range parts {
		own := &joinedTables{slices.Clone(j.tables), slices.Clone(j.conds)}
		t := own.take(p.target)
		if t == nil {
			return "", false
		}
		out = append(out, "UPDATE "+sqlparser.String(t)+" SET "+strings.Join(p.sets, ", ")+own.write("FROM", n.Where))
	}
	return strings.Join(out, "; "), true
}

// parted gives what each table gets. ok is false where it is not known here which table has a column.
func parted(list sqlparser.UpdateExprs) (parts []*part, ok bool) {
	for _, e := range list {
		target := strings.ToLower(e.Name.Qualifier.Name.String())
		if target == "" {
			return nil, false
		}
		i := slices.IndexFunc(parts, func(p *part) bool { return p.target == target })
		if i < 0 {
			i = len(parts)
			parts = append(parts, &part{target: target})
		}
		p := parts[i]
		p.columns = append(p.columns, e.Name.Name.Lowered())
		p.sets = append(p.sets, sqlparser.String(e.Name.Name)+" = "+sqlparser.String(e.Expr))
		p.values = append(p.values, e.Expr)
	}
	return parts, true
}

// apart reports whether the parts of an UPDATE of different tables do the same one after the other, in the order that it gives them: values are computed of columns that no
// other part sets, in no order that MySQL promises, and what decides about rows is set by the last part only.
func apart(n *sqlparser.Update, parts []*part, j *joinedTables) bool {
	names := map[string]bool{}
	for _, t := range j.tables {
		table, ok := t.Expr.(sqlparser.TableName)
		if name := strings.ToLower(table.Name.String()); !ok || names[name] {
			return false
		} else {
			names[name] = true
		}
	}
	for _, p := range parts {
		for _, o := range parts {
			if o != p && o.seenBy(p.values...) {
				return false
			}
		}
	}
	decides := func(p *part) bool { return p.seenBy(n.TableExprs, n.Where) }
	slices.SortStableFunc(parts, func(p, o *part) int {
		switch {
		case !decides(p) && decides(o):
			return -1
		case decides(p) && !decides(o):
			return 1
		}
		return 0
	})
	return !decides(parts[len(parts)-2])
}

// seenBy reports whether expressions may name a column that a part sets.
func (p *part) seenBy(list ...sqlparser.SQLNode) bool {
	seen := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // it fails where the function does
		switch n := n.(type) {
		case *sqlparser.ColName:
			table := strings.ToLower(n.Qualifier.Name.String())
			seen = seen || (table == "" || table == p.target) && slices.Contains(p.columns, n.Name.Lowered())
		case *sqlparser.Subquery:
			seen = true
		}
		return true, nil
	}, list...)
	return seen
}

func joinedDelete(n *sqlparser.Delete) (string, bool) {
	j := &joinedTables{}
	if len(n.Targets) != 1 || !j.add(n.TableExprs) || n.OrderBy != nil || n.Limit != nil {
		return "", false
	}
	t := j.take(n.Targets[0].Name.String())
	if t == nil {
		return "", false
	}
	return "DELETE FROM " + sqlparser.String(t) + j.write("USING", n.Where), true
}

// targets writes the columns that are assigned without their tables.
func targets(list []piece) []piece {
	i := -1
	switch {
	case next(list, 0, "UPDATE"):
		i = topLevel(list, 1, "SET")
	case next(list, 0, "INSERT"):
		for k := range list {
			if strings.HasSuffix(list[k].out, "DO UPDATE SET") {
				for i = k; i+1 < len(list) && list[i+1].out == ""; i++ {
				}
			}
		}
	}
	for i >= 0 && i < len(list) && !next(list, i, "WHERE") {
		k := i + 1
		for k+1 < len(list) && list[k].IsName() && next(list, k+1, ".") {
			list[k].out, list[k+1].out = "", ""
			if k += 2; k < len(list) {
				list[k].space = true
			}
		}
		i = topLevel(list, k, ",", "WHERE", "FROM", "ORDER", "LIMIT")
		if !next(list, i, ",") {
			break
		}
	}
	return list
}

// topLevel finds the first of some words from i on that stands in no parentheses, the end if there is none.
func topLevel(list []piece, i int, words ...string) int {
	depth := 0
	for ; i < len(list); i++ {
		switch {
		case list[i].Is("("):
			depth++
		case list[i].Is(")"):
			depth--
		case depth == 0 && list[i].out != "" && list[i].Is(words...):
			return i
		}
	}
	return i
}

// plus is a piece that stands for itself.
func plus(out string) piece { return piece{out: out, space: true} }
