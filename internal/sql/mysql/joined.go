package mysql

import (
	"slices"
	"strings"
)

// topLevel finds the first of some words from i on that stands in no parentheses, the end if there is none.
func topLevel(list []piece, i int, words ...string) int {
	depth := 0
	for ; i < len(list); i++ {
		switch {
		case list[i].is("("):
			depth++
		case list[i].is(")"):
			depth--
		case depth == 0 && list[i].out != "" && list[i].is(words...):
			return i
		}
	}
	return i
}

// tableRef is a table in a list of joined ones.
type tableRef struct {
	pieces []piece
	// name is the one by which columns name it, in lower case.
	name string
}

// joined reads tables that are joined by commas and inner joins. It gives them with the conditions of the joins; ok is false
// for other forms.
func joined(list []piece) (tables []tableRef, conds [][]piece, ok bool) {
	for len(list) > 0 {
		n := topLevel(list, 0, ",", "JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "NATURAL", "STRAIGHT_JOIN", "ON", "USING")
		ref := list[:n]
		visible := slices.DeleteFunc(slices.Clone(ref), func(p piece) bool { return p.out == "" })
		if len(visible) == 0 || !visible[len(visible)-1].isName() {
			return nil, nil, false
		}
		tables = append(tables, tableRef{ref, strings.ToLower(visible[len(visible)-1].text)})
		if next(list, n, "ON") {
			end := topLevel(list, n+1, ",", "JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "NATURAL", "STRAIGHT_JOIN")
			conds = append(conds, list[n+1:end])
			n = end
		}
		switch {
		case n == len(list):
			return tables, conds, true
		case next(list, n, ","), next(list, n, "JOIN"), next(list, n, "STRAIGHT_JOIN"):
			n++
		case next(list, n, "INNER", "CROSS") && next(list, n+1, "JOIN"):
			n += 2
		default:
			return nil, nil, false
		}
		list = list[n:]
	}
	return nil, nil, false
}

// tableNamed gives the place of the table of a name.
func tableNamed(tables []tableRef, name string) int {
	return slices.IndexFunc(tables, func(t tableRef) bool { return strings.EqualFold(t.name, name) })
}

// plus is a piece that stands for itself.
func plus(out string) piece { return piece{out: out, space: true} }

// joinedWith writes the tables but one, and the conditions, behind a word; what follows WHERE is rest.
func joinedWith(lead string, tables []tableRef, but int, conds [][]piece, rest []piece) []piece {
	var out []piece
	for i, t := range tables {
		if i == but {
			continue
		}
		out = append(out, plus(map[bool]string{true: lead, false: ","}[len(out) == 0]))
		out = append(out, spaced(t.pieces)...)
	}
	end := topLevel(rest, 0, "WHERE")
	tail := rest[min(end+1, len(rest)):]
	word := "WHERE"
	for _, c := range conds {
		out = append(append(append(out, plus(word+" (")), spaced(c)...), plus(")"))
		word = "AND"
	}
	if len(tail) > 0 {
		out = append(append(append(out, plus(word+" (")), spaced(tail)...), plus(")"))
	}
	return out
}

// spaced sets pieces apart from what stands before them.
func spaced(list []piece) []piece {
	out := slices.Clone(list)
	if len(out) > 0 {
		out[0].space = true
	}
	return out
}

// joinedUpdate writes an UPDATE of one of several tables with FROM.
func joinedUpdate(list []piece) []piece {
	if !next(list, 0, "UPDATE") {
		return list
	}
	set := topLevel(list, 1, "SET")
	if set == len(list) || topLevel(list, 1, ",", "JOIN", "STRAIGHT_JOIN") > set || topLevel(list, set, "ORDER", "LIMIT") < len(list) {
		return list
	}
	tables, conds, ok := joined(list[1:set])
	where := topLevel(list, set, "WHERE")
	parametric := func(c []piece) bool { return slices.ContainsFunc(c, func(p piece) bool { return p.kind == mark }) }
	if !ok || slices.ContainsFunc(conds, parametric) { // the parameters would come in another order
		return list
	}
	target := -1
	for i := set; i < where; i = topLevel(list, i+1, ",") {
		if i+2 >= len(list) || !next(list, i+2, ".") { // which table has the column is not known here
			return list
		}
		t := tableNamed(tables, list[i+1].text)
		if t < 0 || target >= 0 && t != target {
			return list
		}
		target = t
	}
	if target < 0 {
		return list
	}
	out := append([]piece{list[0]}, spaced(tables[target].pieces)...)
	out = append(out, list[set:where]...)
	return append(out, joinedWith("FROM", tables, target, conds, list[where:])...)
}

// joinedDelete writes a DELETE from one of several tables with USING.
func joinedDelete(list []piece) []piece {
	if !next(list, 0, "DELETE") {
		return list
	}
	from := topLevel(list, 1, "FROM")
	where := topLevel(list, 1, "WHERE")
	target, source := list[1:min(from, len(list))], min(from+1, len(list))
	if using := topLevel(list, 1, "USING"); from == 1 && using < where { // DELETE FROM a USING a JOIN b
		target, source = list[2:using], using+1
	} else if from == 1 || from == len(list) {
		return list
	}
	visible := slices.DeleteFunc(slices.Clone(target), func(p piece) bool { return p.out == "" })
	if len(visible) == 3 && visible[1].is(".") && visible[2].is("*") {
		visible = visible[:1]
	}
	if len(visible) != 1 || topLevel(list, source, "ORDER", "LIMIT") < len(list) || source > where {
		return list
	}
	tables, conds, ok := joined(list[source:where])
	t := tableNamed(tables, visible[0].text)
	if !ok || t < 0 {
		return list
	}
	out := append([]piece{plus("DELETE FROM")}, spaced(tables[t].pieces)...)
	return append(out, joinedWith("USING", tables, t, conds, list[where:])...)
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
		for k+1 < len(list) && list[k].isName() && next(list, k+1, ".") {
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
