package witness

import (
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// reduced is a condition without the parts that the values of locals decide. What is left
// is true for the same rows.
func (p *printer) reduced(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Var:
		if v, ok := p.env(e.Name); ok {
			return &ir.Const{Value: v}
		}
	case *ir.Unary:
		return p.reducedUnary(e)
	case *ir.Binary:
		return p.reducedBinary(e)
	case *ir.Cond:
		branch := p.reduced(e.If)
		if v, ok := constant(branch); ok {
			if v.IsTrue() {
				return p.reduced(e.Then)
			}
			return p.reduced(e.Else)
		}
		return &ir.Cond{If: branch, Then: p.reduced(e.Then), Else: p.reduced(e.Else)}
	default: // its printer shows the values in it
	}
	return e
}

func (p *printer) reducedUnary(e *ir.Unary) ir.Expr {
	x := p.reduced(e.X)
	v, ok := constant(x)
	switch {
	case ok && e.Op == ir.IsNull:
		return truth(v.IsNull())
	case ok && e.Op == ir.Not && !v.IsNull():
		return truth(!v.IsTrue())
	}
	return &ir.Unary{Op: e.Op, X: x}
}

func (p *printer) reducedBinary(e *ir.Binary) ir.Expr {
	x, y := p.reduced(e.X), p.reduced(e.Y)
	if e.Op == ir.And || e.Op == ir.Or {
		for _, side := range [][2]ir.Expr{{x, y}, {y, x}} {
			if v, ok := constant(side[0]); ok && !v.IsNull() {
				if v.IsTrue() == (e.Op == ir.And) {
					return side[1]
				}
				return side[0]
			}
		}
	}
	return &ir.Binary{Op: e.Op, X: x, Y: y}
}

func constant(e ir.Expr) (ir.Value, bool) {
	c, ok := e.(*ir.Const)
	if !ok {
		return ir.Null, false
	}
	return c.Value, true
}

func truth(b bool) ir.Expr { return &ir.Const{Value: ir.Bool(b)} }

// maxCondition bounds the characters of a condition, from which long parts are left out then.
const maxCondition = 160

// elided is a conjunction without its longest parts, so that it is not too long.
func (p *printer) elided(e ir.Expr) string {
	parts := p.conjuncts(e)
	length := func() (n int) {
		for _, part := range parts {
			n += len(part) + len(" AND ")
		}
		return n
	}
	for length() > maxCondition {
		longest := 0
		for i, part := range parts {
			if len(part) > len(parts[longest]) {
				longest = i
			}
		}
		if parts[longest] == "…" {
			break
		}
		parts[longest] = "…"
	}
	return strings.Join(parts, " AND ")
}

func (p *printer) conjuncts(e ir.Expr) []string {
	if b, ok := e.(*ir.Binary); ok && b.Op == ir.And {
		return append(p.conjuncts(b.X), p.conjuncts(b.Y)...)
	}
	return []string{p.expr(e, precAnd)}
}

// shortName is the name of a function without the types that tell it from others.
func shortName(name string) string {
	before, _, _ := strings.Cut(name, "(")
	words := strings.Fields(before)
	switch {
	case len(words) == 0:
		return name
	case digest.MatchString(words[len(words)-1]):
		return "computed"
	}
	return words[len(words)-1]
}

// digest matches what tells apart functions whose definitions are too long for a name.
var digest = regexp.MustCompile(`^[0-9a-f]{16}$`)
