package analyzer

import (
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// sqlxFunctions are functions of sqlx that rewrite statements: what they give is a
// text and the values for it.
var sqlxFunctions = map[string]func(in *interp, args []value) (fragment, bool){
	"github.com/jmoiron/sqlx.In": func(in *interp, args []value) (fragment, bool) {
		list, ok := in.listOf(args[len(args)-1])
		text, known := constText(args[0])
		if !ok || !known {
			return fragment{}, false
		}
		return in.filled(text, list), true
	},
	"github.com/jmoiron/sqlx.Named": func(in *interp, args []value) (fragment, bool) {
		text, known := constText(args[0])
		named := in.namedArgs(args[1])
		if !known || named == nil {
			return fragment{}, false
		}
		return byColon(text, named)
	},
}

// rewritten is a call of such a function.
func (in *interp) rewritten(inv *invocation, name string) (value, bool) {
	f := sqlxFunctions[name]
	if f == nil {
		return nil, false
	}
	g, ok := f(in, inv.args)
	if !ok {
		return nil, false
	}
	return in.sqlAndArgs(inv.t, g), true
}

// byColon puts values in the places of :name. ok is false if one has none.
func byColon(text string, named []client.Arg) (fragment, bool) {
	var out fragment
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'' || c == '"': // a text, or a name in quotes
			j := strings.IndexByte(text[i+1:], c)
			if j < 0 {
				return fragment{}, false
			}
			out.text += text[i : i+j+2]
			i += j + 1
		case c == ':' && i+1 < len(text) && text[i+1] == ':': // :: stands for one colon
			out.text += ":"
			i++
		case c == ':' && i+1 < len(text) && (text[i+1] == '_' || text[i+1] >= 'A' && text[i+1] <= 'Z' || text[i+1] >= 'a' && text[i+1] <= 'z'):
			j := i + 1
			for j < len(text) && (text[j] == '_' || text[j] == '.' || text[j] >= '0' && text[j] <= '9' || text[j] >= 'A' && text[j] <= 'Z' || text[j] >= 'a' && text[j] <= 'z') {
				j++
			}
			found := false
			for _, n := range named {
				if n.Name == text[i+1:j] {
					out = out.plus(frag(paramMark, scalar{n.Expr, client.Any}))
					found = true
					break
				}
			}
			if !found {
				return fragment{}, false
			}
			i = j - 1
		default:
			out.text += string(c)
		}
	}
	return out, true
}

// sendByName sends a prepared statement whose last argument has the values for
// its names.
func (in *interp) sendByName(inv *invocation, p *prepared, r role, args []value) (value, bool) {
	text, ok := constText(p.sql)
	last := args[len(args)-1]
	var sql value = scalar{client.C(ir.Text(client.Hole)), client.Text}
	var vals []value
	if named := in.namedArgs(last); ok && named != nil {
		if f, all := byColon(text, named); all {
			text, vals = f.numbered()
			sql = scalar{client.C(ir.Text(text)), client.Text}
		}
	}
	if len(vals) == 0 && ok { // nothing is known of the values
		in.emitValue(last)
		sql = scalar{client.C(ir.Text(unnamed(text))), client.Text}
	}
	out := append(args[:len(args)-1:len(args)-1], sql, &list{elems: vals})
	return in.send(inv, p.h, r, out)
}

// unnamed is a text with a part that is not known for each name.
func unnamed(text string) string {
	f := fragment{}
	for i := 0; i < len(text); i++ {
		if text[i] != ':' || i+1 == len(text) || text[i+1] == ':' || i > 0 && text[i-1] == ':' || !isIdentifier(text[i+1:i+2]) {
			f.text += string(text[i])
			continue
		}
		f.text += client.Hole
		for i+1 < len(text) && (isIdentifier(text[i+1:i+2]) || text[i+1] >= '0' && text[i+1] <= '9' || text[i+1] == '.') {
			i++
		}
	}
	return f.text
}
