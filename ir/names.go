package ir

import (
	"slices"
	"strings"
)

// JoinName joins the parts of a name, such as a schema and a table, with dots. A part that has a dot or a
// double quote is put in double quotes, so that different names stay different.
func JoinName(parts []string) string {
	if !slices.ContainsFunc(parts, func(p string) bool { return strings.ContainsAny(p, `."`) }) {
		return strings.Join(parts, ".")
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p; strings.ContainsAny(p, `."`) {
			out[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
		}
	}
	return strings.Join(out, ".")
}

// NameParts takes apart what JoinName has joined.
func NameParts(name string) []string {
	if !strings.Contains(name, `"`) {
		return strings.Split(name, ".")
	}
	var out []string
	part, quoted := "", false
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"' && quoted && i+1 < len(name) && name[i+1] == '"':
			part += `"`
			i++
		case c == '"':
			quoted = !quoted
		case c == '.' && !quoted:
			out, part = append(out, part), ""
		default:
			part += name[i : i+1]
		}
	}
	return append(out, part)
}
