// Package texts has functions that compute texts of statements. The tests run them
// and evaluate them.
package texts

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Dollars puts $1, $2 and so on in the places of question marks.
func Dollars(query, driver string) string {
	if driver != "postgres" {
		return query
	}
	n := 0
	for strings.Contains(query, "?") {
		n++
		query = strings.Replace(query, "?", "$"+strconv.Itoa(n), 1)
	}
	return query
}

// Marks does the same, character by character.
func Marks(query string) string {
	var b strings.Builder
	n := 0
	for _, c := range query {
		if c == '?' {
			n++
			b.WriteString(fmt.Sprintf("$%d", n))
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// In makes a list of parameters.
func In(column string, n int) string {
	marks := make([]string, n)
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	return column + " IN (" + strings.Join(marks, ", ") + ")"
}

// Filter has a condition for each flag that is set.
func Filter(name, owner bool) string {
	var conds []string
	if name {
		conds = append(conds, "name = ?")
	}
	if owner {
		conds = append(conds, "owner = ?")
	}
	if len(conds) == 0 {
		return "SELECT id FROM items"
	}
	return "SELECT id FROM items WHERE " + strings.Join(conds, " AND ")
}

// Rows is for an INSERT of several rows.
func Rows(table string, n int) string {
	buf := bytes.NewBufferString("INSERT INTO " + table + " VALUES ")
	for i := 0; i < n; i++ {
		if i > 0 {
			buf.WriteByte(',')
		}
		fmt.Fprintf(buf, "(%s)", strings.Repeat("?,", 1)+"?")
	}
	return buf.String()
}

type clause struct {
	column, op string
	n          int
}

func (c clause) text() string { return fmt.Sprintf("%s %s $%d", c.column, c.op, c.n) }

// Clauses goes through structs in memory.
func Clauses(column string, n int) string {
	list := [2]clause{{column, "=", n}, {op: "<"}}
	second := &list[1]
	second.column = column + "_id"
	second.n = list[0].n + 1
	out := ""
	for i, c := range list {
		if i > 0 {
			out += " AND "
		}
		out += c.text()
	}
	return out
}

// Order may fail.
func Order(by string) (string, error) {
	switch by {
	case "name", "id":
		return "ORDER BY " + by, nil
	}
	return "", errors.New("no such column")
}

// Picked panics for some numbers.
func Picked(i int) string {
	names := []string{"a", "b", "c"}
	return "SELECT " + names[i] + " FROM " + names[i][:1]
}

// Aliased appends to a slice twice, which may share memory.
func Aliased(a string) string {
	list := append(make([]string, 0, 4), a)
	x := append(list, "x")
	y := append(list, "y")
	return x[1] + y[1]
}

// Written writes an element of a slice that was appended to.
func Written(a string) string {
	list := append([]string{a}, "b", "c")
	longer := append(list, "d")
	longer[0] = "changed"
	return list[0]
}

type shade uint8

func (shade) String() string { return "shaded" }

// Shown prints values of several types.
func Shown(s string, i int, b bool) string {
	return fmt.Sprintf("%s|%v|%5d|%q|%t|%v|%%", s, s, i, s, b, shade(i))
}

// Cut cuts texts.
func Cut(s string, i int) string {
	before, after, found := strings.Cut(s, " ")
	if !found {
		return s[i:]
	}
	return after + "/" + before[:i] + "/" + strings.ToUpper(s)
}

// Nested calls others, with a number that grows.
func Nested(n int) string {
	if n <= 0 {
		return "."
	}
	return strconv.Itoa(n*n-7) + Nested(n-1)
}

// Wide overflows.
func Wide(n int) string {
	x := uint8(n)
	x += 200
	return strconv.Itoa(int(x))
}
