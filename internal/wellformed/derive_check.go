package wellformed

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// derived checks a call with a Derivation.
func (s Scope) derived(e *ir.Call) error {
	d := e.Def
	if len(e.Args) != len(d.Params) {
		return fmt.Errorf("a derivation has %d arguments for %d parameters", len(e.Args), len(d.Params))
	}
	for i, a := range e.Args {
		if t, _ := s.TypeOf(a); !d.Params[i].Type.Accepts(t) {
			return fmt.Errorf("parameter %s of a derivation has type %s, but its argument has type %s", d.Params[i].Name, d.Params[i].Type, t)
		}
	}
	if e.Name != d.Name(e.Type) {
		return fmt.Errorf("a derivation has the name of another one")
	}
	c := relChecker{txn: &ir.Txn{Params: d.Params}}
	if err := c.rel(d.Rel, nil); err != nil {
		return err
	}
	cols := ir.Columns(d.Rel)
	switch d.Want {
	case ir.WantFirst:
		if e.Type != ir.OpaqueType {
			return fmt.Errorf("a row of a derivation has type %s, not %s", ir.OpaqueType, e.Type)
		}
	case ir.WantRows, ir.WantList:
		if e.Type != ir.ArrayType(ir.KindOpaque) {
			return fmt.Errorf("the rows of a derivation have type %s, not %s", ir.ArrayType(ir.KindOpaque), e.Type)
		}
	case ir.WantValue:
		if len(cols) == 0 || !e.Type.Accepts(cols[0].Type) {
			return fmt.Errorf("the value of a derivation must have the type of its first column")
		}
	case ir.WantArray:
		if len(cols) == 0 || e.Type.Kind != ir.KindArray {
			return fmt.Errorf("the array of a derivation has type %s", e.Type)
		}
	case ir.WantCount:
		if e.Type != ir.IntType {
			return fmt.Errorf("the number of rows has type int, not %s", e.Type)
		}
	default:
		if e.Type != ir.BoolType {
			return fmt.Errorf("whether a derivation has rows has type bool, not %s", e.Type)
		}
	}
	return nil
}

type relChecker struct{ txn *ir.Txn }

// want checks the type of an expression; nil stands for none.
func (c relChecker) want(e ir.Expr, rows []ir.Source, t ir.Type) error {
	if e == nil {
		return nil
	}
	have, err := Scope{c.txn, rows}.TypeOf(e)
	if err == nil && !t.Accepts(have) {
		err = fmt.Errorf("%s has type %s, not %s", e.String(), have, t)
	}
	return err
}

func (c relChecker) items(list []ir.Item, rows []ir.Source) error {
	for _, i := range list {
		if err := c.want(i.Expr, rows, i.Type); err != nil {
			return err
		}
	}
	return nil
}

func (c relChecker) rel(r ir.Rel, outer []ir.Source) error {
	switch r := r.(type) {
	case *ir.Given:
		t, ok := c.txn.LocalType(r.Param)
		if !ok || t != ir.ArrayType(ir.KindOpaque) {
			return fmt.Errorf("%s is no parameter that holds rows", r.Param)
		}
		return nil
	case *ir.Elems:
		if r.Array == nil {
			if err := c.want(r.Lo, outer, ir.IntType); err != nil {
				return err
			}
			return c.want(r.Hi, outer, ir.IntType)
		}
		t, err := Scope{c.txn, outer}.TypeOf(r.Array)
		if err == nil && t.Kind != ir.KindArray {
			err = fmt.Errorf("%s is no array", r.Array.String())
		}
		return err
	case *ir.Project:
		rows, err := c.from(r.From, outer)
		if err == nil {
			err = c.want(r.Where, rows, ir.BoolType)
		}
		if err == nil {
			err = c.items(r.Cols, rows)
		}
		for _, o := range r.Order {
			if err == nil {
				_, err = Scope{c.txn, rows}.TypeOf(o.Expr)
			}
		}
		for _, e := range r.On {
			if err == nil {
				_, err = Scope{c.txn, rows}.TypeOf(e)
			}
		}
		for _, e := range []ir.Expr{r.Limit, r.Offset} {
			if err == nil {
				err = c.want(e, outer, ir.IntType)
			}
		}
		return err
	case *ir.Group:
		rows, err := c.from(r.From, outer)
		if err == nil {
			err = c.want(r.Where, rows, ir.BoolType)
		}
		if err == nil {
			err = c.items(r.Keys, rows)
		}
		for _, a := range r.Aggs {
			if err == nil && a.Arg != nil {
				_, err = Scope{c.txn, rows}.TypeOf(a.Arg)
			}
		}
		return err
	case *ir.SetOp:
		a, b := ir.Columns(r.L), ir.Columns(r.R)
		if len(a) != len(b) {
			return fmt.Errorf("%s of %d and %d columns", r.Op, len(a), len(b))
		}
		for i := range a {
			if !a[i].Type.Accepts(b[i].Type) {
				return fmt.Errorf("%s of columns of types %s and %s", r.Op, a[i].Type, b[i].Type)
			}
		}
		if err := c.rel(r.L, outer); err != nil {
			return err
		}
		if r.Again != "" {
			if r.Op != ir.Union {
				return fmt.Errorf("%s is recursive, and only a union may be", r.Op)
			}
			in := *c.txn
			in.Params = append(slices.Clone(in.Params), ir.Param{Name: r.Again, Type: ir.ArrayType(ir.KindOpaque)})
			c.txn = &in
		}
		return c.rel(r.R, outer)
	}
	panic(fmt.Sprintf("ir: check: unknown relation %T", r))
}

// from gives the row variables in scope after a FROM list.
func (c relChecker) from(f ir.From, outer []ir.Source) ([]ir.Source, error) {
	switch f := f.(type) {
	case nil:
		return outer, nil
	case *ir.Leaf:
		return append(append([]ir.Source{}, outer...), ir.Sources(f)...), c.rel(f.Rel, outer)
	case *ir.Join:
		left, err := c.from(f.L, outer)
		if err != nil {
			return nil, err
		}
		both, err := c.from(f.R, left)
		if err != nil {
			return nil, err
		}
		return both, c.want(f.On, both, ir.BoolType)
	}
	panic(fmt.Sprintf("ir: check: unknown FROM %T", f))
}
