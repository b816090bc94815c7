package sqlgen

import (
	"slices"
	"strings"
)

// Type is an SQL type with values to draw from.
type Type struct {
	// Name is how SQL writes it, Base its name in pg_type without modifiers.
	Name, Base string
	// Values are the contents of literals. Those that Bare marks need no quotes.
	Values []string
	Bare   bool
	// Elem is the type of the elements of an array.
	Elem *Type
	// Group is the set of types that it belongs to.
	Group Group
	// Sums says that it has + and -, and sum().
	Sums bool
	// Text says that it is a kind of text, Time that it is a date or time.
	Text, Time bool
	// NotNull says that it is a domain without NULL.
	NotNull bool
	// Plain says that its literals have no cast: the dialect of MySQL.
	Plain bool
}

// Group is a set of types.
type Group uint8

const (
	// Basic is integers, text and boolean.
	Basic Group = 1 << iota
	// Numbers is smallint, numeric and floating point.
	Numbers
	// Texts is char(n), varchar(n), citext, uuid and "char".
	Texts
	// Times is dates, times and intervals.
	Times
	// Others is json, bytea, networks, ranges and arrays.
	Others
	// Declared is enums, domains and composite types.
	Declared
	// AllTypes is all of them.
	AllTypes = Basic | Numbers | Texts | Times | Others | Declared
)

func words(s string) []string { return strings.Split(s, "|") }

// Types that the grammar itself speaks of.
var (
	Int    = &Type{Name: "int", Base: "int4", Values: words("0|1|2|3|-1|7"), Bare: true, Group: Basic, Sums: true}
	Bigint = &Type{Name: "bigint", Base: "int8", Values: words("0|1|2|3|-2|10"), Bare: true, Group: Basic, Sums: true}
	Text   = &Type{Name: "text", Base: "text", Values: words("|a|b|B|ab|a b|it's"), Group: Basic, Text: true}
	Bool   = &Type{Name: "boolean", Base: "bool", Values: words("true|false"), Bare: true, Group: Basic}
	Stamp  = &Type{Name: "timestamptz", Base: "timestamptz", Values: words("2024-01-01 00:00:00+00|2024-01-01 12:30:00.5+00|2024-02-29 00:00:00+00|2023-12-31 23:59:59+00"), Group: Times}
)

// builtinTypes are the types without a declaration.
var builtinTypes = []*Type{
	Int, Bigint, Text, Bool, Stamp,
	{Name: "smallint", Base: "int2", Values: words("0|1|2|-1|5"), Group: Numbers, Sums: true},
	{Name: "numeric", Base: "numeric", Values: words("0|1|1.5|2.25|1.50|-3"), Bare: true, Group: Numbers, Sums: true},
	{Name: "numeric(5,2)", Base: "numeric", Values: words("0|1.5|2.255|1.005|-3.14"), Bare: true, Group: Numbers, Sums: true},
	{Name: "double precision", Base: "float8", Values: words("0|0.1|1.5|-0|3"), Group: Numbers, Sums: true},
	{Name: "real", Base: "float4", Values: words("0|0.1|1.5|2"), Group: Numbers, Sums: true},
	{Name: "varchar(4)", Base: "varchar", Values: words("|a|ab|abcd|b "), Group: Texts, Text: true},
	{Name: "char(3)", Base: "bpchar", Values: words("a|ab|abc|a  |"), Group: Texts, Text: true},
	{Name: "uuid", Base: "uuid", Values: words("00000000-0000-0000-0000-000000000001|00000000-0000-0000-0000-00000000000A|{00000000000000000000000000000001}"), Group: Texts},
	{Name: `"char"`, Base: "char", Values: words("a|b|B"), Group: Texts},
	{Name: "date", Base: "date", Values: words("2024-01-01|2024-02-29|2023-12-31|20240101"), Group: Times},
	{Name: "timestamp", Base: "timestamp", Values: words("2024-01-01 00:00:00|2024-01-01 12:30:00.5|2024-01-01"), Group: Times},
	{Name: "timestamp(0)", Base: "timestamp", Values: words("2024-01-01 00:00:00.5|2024-01-01 00:00:01.4|2024-01-01 00:00:00"), Group: Times},
	{Name: "time", Base: "time", Values: words("00:00|12:30:00|23:59:59.5"), Group: Times},
	{Name: "interval", Base: "interval", Values: words("1 day|24:00:00|1 mon|30 days|00:00:00|P1D"), Group: Times},
	{Name: "jsonb", Base: "jsonb", Values: words(`{"a": 1}|{"a":1, "b": [1,2]}|[]|1|1.0|"x"|{"b":2,"a":1}`), Group: Others},
	{Name: "json", Base: "json", Values: words(`{"a": 1}|{"a":1}|[]`), Group: Others},
	{Name: "bytea", Base: "bytea", Values: words(`\x00ff|\x|abc`), Group: Others},
	{Name: "inet", Base: "inet", Values: words("10.0.0.1|10.0.0.1/32|10.0.0.1/24|::1"), Group: Others},
	{Name: "cidr", Base: "cidr", Values: words("10.0.0.0/24|10.0.0.0/8"), Group: Others},
	{Name: "macaddr", Base: "macaddr", Values: words("08:00:2b:01:02:03|08002b010203|08:00:2b:01:02:04"), Group: Others},
	{Name: "int4range", Base: "int4range", Values: words("[1,3)|[1,2]|empty|(0,2]|[5,)"), Group: Others},
	{Name: "tstzrange", Base: "tstzrange", Values: words("[2024-01-01 00:00:00+00,2024-02-01 00:00:00+00)|empty"), Group: Others},
	{Name: "int[]", Base: "_int4", Elem: Int, Values: words("{}|{1}|{1,2}|{2,1}|{1,1,3}"), Group: Others},
	{Name: "text[]", Base: "_text", Elem: Text, Values: words(`{}|{a}|{a,b}|{"a b"}|{""}`), Group: Others},
}

// typesOf gives the built-in types of some groups.
func typesOf(set Group) []*Type {
	var out []*Type
	for _, t := range builtinTypes {
		if t.Group&set != 0 {
			out = append(out, t)
		}
	}
	return out
}

// comparable reports whether values of the type have = and <.
func (t *Type) comparable() bool { return t.Base != "json" }

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Literal writes a value of the type, with a cast where SQL would take it for
// another type.
func (t *Type) Literal(v string) string {
	switch {
	case t.Plain && t.Bare:
		return v
	case t.Plain:
		return quote(v)
	case t.Bare && t.Base == "int8" && !strings.HasPrefix(v, "-"), t.Bare && t.Base == "numeric" && !strings.Contains(v, "."),
		t.Bare && strings.HasPrefix(v, "-"):
		return "(" + v + ")::" + t.Name
	case t.Bare:
		return v
	}
	return quote(v) + "::" + t.Name
}

// sort is the sort of expressions of the type.
func (t *Type) sort() string { return "expr " + t.Name }

func pick[T any](g *gen, list []T) T { return list[g.rng.IntN(len(list))] }

// chance is true in p of 100 cases.
func (g *gen) chance(p int) bool { return g.rng.IntN(100) < p }

// alt is an alternative with its weight.
type alt struct {
	w int
	f func() *Node
}

// one takes one of the alternatives. Those that give nil are not taken.
func (g *gen) one(alts ...alt) *Node {
	alts = slices.Clone(alts)
	for {
		total := 0
		for _, a := range alts {
			total += a.w
		}
		if total == 0 {
			return nil
		}
		n := g.rng.IntN(total)
		for i, a := range alts {
			if n -= a.w; n < 0 {
				if out := a.f(); out != nil {
					return out
				}
				alts[i].w = 0
				break
			}
		}
	}
}
