package wellformed

import "github.com/txrobust/robust/internal/ir"

// Structure gives every labelled transaction of p a structured body, in place.
//
// Code without cycles becomes nested branches: a label with two instructions
// whose assumptions exclude each other is an if, every other choice an if over
// a havocked truth value. Code with cycles, or whose nesting would grow too large,
// becomes a loop over a program counter.
//
// What is added is outside of Program.Domain, which bounds integers: choices are
// truth values, and the program counter is a rational.
func Structure(p *ir.Program) {
	for _, t := range p.Txns {
		if t.Labelled != nil {
			s := &structurer{txn: t, at: map[string][]ir.Instr{}}
			for _, in := range t.Labelled {
				s.at[in.Label] = append(s.at[in.Label], in)
			}
			start := t.Labelled[0].Label
			body, ok := s.nested(start, map[string]bool{}, maxNested)
			if !ok {
				body = s.counter(start)
			}
			t.Body, t.Labelled = body, nil
		}
	}
	MustCheck("Structure", p)
}

// maxNested bounds the statements that nesting may copy.
const maxNested = 400

type structurer struct {
	txn  *ir.Txn
	at   map[string][]ir.Instr
	size int
}

// nested gives the code from label to the end, or false if it has a cycle or
// is larger than limit.
func (s *structurer) nested(label string, on map[string]bool, limit int) ([]ir.Stmt, bool) {
	ins := s.at[label]
	if label == "" || len(ins) == 0 {
		return nil, true
	}
	if s.size += len(ins); on[label] || s.size > limit {
		return nil, false
	}
	on[label] = true
	defer delete(on, label)
	branches := make([][]ir.Stmt, len(ins))
	for i, in := range ins {
		rest, ok := s.nested(in.Goto, on, limit)
		if !ok {
			return nil, false
		}
		if in.Stmt != nil {
			rest = append([]ir.Stmt{in.Stmt}, rest...)
		}
		branches[i] = rest
	}
	return s.choice(ins, branches), true
}

// choice joins the branches of one label.
func (s *structurer) choice(ins []ir.Instr, branches [][]ir.Stmt) []ir.Stmt {
	at := ir.At{Pos: ins[0].Pos}
	if len(branches) == 1 {
		return branches[0]
	}
	if len(branches) == 2 {
		if a, ok := ins[0].Stmt.(*ir.Assume); ok {
			if b, ok := ins[1].Stmt.(*ir.Assume); ok && opposite(a.Cond, b.Cond) {
				// The second assumption stays: it also rules out NULL.
				return []ir.Stmt{&ir.If{At: at, Cond: a.Cond, Then: branches[0][1:], Else: branches[1]}}
			}
		}
	}
	out := branches[len(branches)-1]
	for i := len(branches) - 2; i >= 0; i-- {
		pick := s.txn.AddLocal("choice", ir.BoolType)
		out = []ir.Stmt{
			&ir.Havoc{At: at, Var: pick, NotNull: true},
			&ir.If{At: at, Cond: ir.V(pick), Then: branches[i], Else: out},
		}
	}
	return out
}

// opposite reports whether one condition is the negation of the other.
func opposite(a, b ir.Expr) bool {
	neg := map[ir.BinaryOp]ir.BinaryOp{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Gt: ir.Le, ir.Le: ir.Gt}
	if x, ok := a.(*ir.Binary); ok {
		if y, ok := b.(*ir.Binary); ok && neg[x.Op] == y.Op && x.Op >= ir.Eq && x.Op <= ir.Ge {
			return x.X.String() == y.X.String() && x.Y.String() == y.Y.String()
		}
	}
	for _, pair := range [][2]ir.Expr{{a, b}, {b, a}} {
		if n, ok := pair[0].(*ir.Unary); ok && n.Op == ir.Not && n.X.String() == pair[1].String() {
			return true
		}
	}
	return false
}

// counter gives a loop that executes one instruction a round.
func (s *structurer) counter(start string) []ir.Stmt {
	number := map[string]int64{"": -1}
	var labels []string
	for _, in := range s.txn.Labelled {
		if _, ok := number[in.Label]; !ok {
			number[in.Label] = int64(len(labels))
			labels = append(labels, in.Label)
		}
	}
	target := func(label string) ir.Expr {
		if n, ok := number[label]; ok {
			return ir.C(ir.Int(n))
		}
		return ir.C(ir.Int(-1)) // a label without an instruction ends the transaction
	}
	pc := s.txn.AddLocal("pc", ir.NumType)
	at := ir.At{Pos: s.txn.Pos}
	var body []ir.Stmt
	for i := len(labels) - 1; i >= 0; i-- {
		ins := s.at[labels[i]]
		branches := make([][]ir.Stmt, len(ins))
		for k, in := range ins {
			if in.Stmt != nil {
				branches[k] = append(branches[k], in.Stmt)
			}
			branches[k] = append(branches[k], &ir.Assign{At: ir.At{Pos: in.Pos}, Var: pc, Expr: target(in.Goto)})
		}
		step := s.choice(ins, branches)
		if body == nil {
			body = step
		} else {
			body = []ir.Stmt{&ir.If{At: ir.At{Pos: ins[0].Pos}, Cond: ir.Op(ir.Eq, ir.V(pc), target(labels[i])), Then: step, Else: body}}
		}
	}
	return []ir.Stmt{
		&ir.Assign{At: at, Var: pc, Expr: target(start)},
		&ir.While{At: at, Cond: ir.Op(ir.Ge, ir.V(pc), ir.C(ir.Int(0))), Body: body},
	}
}
