package mysql

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/xwb1989/sqlparser"
)

// joined writes an UPDATE or DELETE of one of several tables with FROM or USING, as PostgreSQL has them, in words of MySQL
// otherwise. ok is false for another statement, and for one that has no such form: that writes several tables, joins others
// than by inner joins, or would give its parameters in another order.
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

func joinedUpdate(n *sqlparser.Update) (string, bool) {
	j := &joinedTables{}
	if !j.add(n.TableExprs) || len(j.tables) < 2 || n.OrderBy != nil || n.Limit != nil {
		return "", false
	}
	target := n.Exprs[0].Name.Qualifier.Name.String()
	var sets []string
	for _, e := range n.Exprs {
		if target == "" || !strings.EqualFold(e.Name.Qualifier.Name.String(), target) { // which table has the column is not known here
			return "", false
		}
		sets = append(sets, sqlparser.String(e.Name.Name)+" = "+sqlparser.String(e.Expr))
	}
	t := j.take(target)
	if t == nil {
		return "", false
	}
	return "UPDATE " + sqlparser.String(t) + " SET " + strings.Join(sets, ", ") + j.write("FROM", n.Where), true
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
