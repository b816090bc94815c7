package mysql

import (
	"slices"
	"strings"
)

// keyed says what the primary key of a table is.
func (s *Schema) keyed(table string, columns []string) {
	if s.primary == nil {
		s.primary = map[string][]string{}
	}
	s.primary[table] = columns
	s.inKey(table, columns...)
}

// inKey says that columns are part of a key, which is so ever after.
func (s *Schema) inKey(table string, columns ...string) {
	for _, c := range columns {
		s.inKeys[table+"."+strings.ToLower(c)] = true
	}
}

// InKey reports whether a column is part of a primary or unique key of its table.
func (s *Schema) InKey(table, column string) bool {
	return s.inKeys[strings.ToLower(table)+"."+strings.ToLower(column)]
}

// Fires reports whether a table has triggers.
func (s *Schema) Fires(table string) bool {
	for _, t := range s.triggers {
		if strings.EqualFold(t, table) {
			return true
		}
	}
	return false
}

// Counts reports whether a table of this name has a column with AUTO_INCREMENT.
func (s *Schema) Counts(table string) bool { return s.autos[strings.ToLower(table)] != "" }

// Fixed reports whether the tokens of a WHERE name one row of a table by its primary key: all of its columns are compared with what value reports
// to be a value of no row, and these conditions are joined by AND.
func (s *Schema) Fixed(table string, where []Token, value func([]Token) bool) bool {
	fixed := map[string]bool{}
	from, depth := 0, 0
	for i := 0; i <= len(where); i++ {
		switch {
		case i < len(where) && where[i].Is("("):
			depth++
		case i < len(where) && where[i].Is(")"):
			depth--
		case i < len(where) && depth == 0 && where[i].Is("OR", "XOR", "|", "BETWEEN", "CASE", "NOT", "!", "&"):
			return false
		case i == len(where) || depth == 0 && where[i].Is("AND"):
			if name, rest, ok := equation(where[from:i]); ok && value(rest) {
				fixed[name] = true
			}
			from = i + 1
		}
	}
	key := s.primary[strings.ToLower(table)]
	return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !fixed[strings.ToLower(c)] })
}

// equation reads column = value, where the column may have its table before it.
func equation(part []Token) (column string, value []Token, ok bool) {
	if len(part) > 4 && part[0].IsName() && part[1].Is(".") {
		part = part[2:]
	}
	if len(part) < 3 || !part[0].IsName() || !part[1].Is("=") || part[2].Is(">", "=") {
		return "", nil, false
	}
	return strings.ToLower(part[0].Text), part[2:], true
}
