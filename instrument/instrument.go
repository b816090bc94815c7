package instrument

import (
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/wellformed"
)

// Options direct Rewrite.
type Options struct {
	// Engine decides which helpers the attacker excludes; nil is engine.SI().
	Engine *engine.Profile
	// Classic counts an access whatever the values (CAV'19, theorem 2).
	// Otherwise an access counts only where a value differs.
	Classic bool
	// Attacker names the only transaction that may be delayed; "" is any,
	// chosen by the program itself, as in the paper.
	Attacker string
}

// Result is an instrumented program.
type Result struct {
	// Program has the transactions and processes of the original, by the same
	// names, with the same parameters. Statements that needed no change are
	// those of the original; every ir.Havoc of the original is.
	Program *ir.Program
	trA     *ir.Table
}

// Delayed reports whether a run of a transaction of the instrumented program
// was that of the attacker.
func (r *Result) Delayed(run *interp.Run) bool {
	flag := r.Program.TableIndex(r.trA)
	for i := range run.Ops {
		if run.Ops[i].Table == flag {
			return true
		}
	}
	return false
}

// Rewrite gives the instrumented program: under serializability it reaches
// ir.Fail if p has an execution at snapshot isolation with one delayed
// transaction whose dependencies have a cycle. The package comment says when
// the converse holds. The transactions of p must be structured; p itself is
// not changed, and the result shares with it what did not have to be.
//
// The error, if any, is an *ir.Error: a transaction is not structured, or
// Options.Attacker is not one of p.
func Rewrite(p *ir.Program, opt Options) (*ir.Program, error) {
	r, err := Instrument(p, opt)
	if err != nil {
		return nil, err
	}
	return r.Program, nil
}

// Instrument is Rewrite for those who also follow the runs of the result.
func Instrument(p *ir.Program, opt Options) (*Result, error) {
	if opt.Engine == nil {
		opt.Engine = engine.SI()
	}
	wellformed.Structure(p)
	rw := &rewriter{in: p, opt: opt, names: map[string]bool{}, base: map[*ir.Table]*ir.Table{},
		shadows: map[*ir.Table]*shadow{}, reads: map[ir.Stmt]*reads{}}
	if opt.Attacker != "" && p.Txn(opt.Attacker) == nil {
		return nil, ir.Errorf(ir.Pos{File: p.Name}, "there is no transaction %s to be delayed: name one of the program", opt.Attacker)
	}
	for _, t := range p.Txns {
		var bad error
		ir.Walk(t.Body, func(s ir.Stmt) {
			if bad != nil {
				return
			}
			switch s := s.(type) {
			case *ir.Cascade:
				bad = ir.Errorf(s.At.Pos, "what the action of the foreign key %s does cannot be instrumented, since it acts on the rows that are there at the commit", s.ForeignKey().Name)
			case *ir.Insert:
				if len(s.Moved) > 0 {
					bad = ir.Errorf(s.At.Pos, "a row of %s gets another key: that cannot be instrumented, since its parents and children are checked as those of one row", s.Table.Name)
				}
			}
		})
		if bad != nil {
			return nil, bad
		}
	}
	rw.program()
	return &Result{wellformed.MustCheck("instrument", rw.out), rw.trA}, nil
}

// rewriter is the state of one Rewrite.
type rewriter struct {
	in, out *ir.Program
	opt     Options
	names   map[string]bool // every name in use, so that new ones are new

	// base gives for a table of in the one that stands for it in out.
	base    map[*ir.Table]*ir.Table
	shadows map[*ir.Table]*shadow // by table of in; only written tables have one
	order   []*shadow             // in the order of the tables, parents first
	hb      *ir.Table             // HB: the delayed transaction has been issued
	trA     *ir.Table             // a_trA: an attacker delays a transaction
	stA     *ir.Table             // a_stA: the name of what it stored to last

	reads map[ir.Stmt]*reads
	sites []*site
	// e, c, p and q are names of row variables that the program does not use,
	// for flags, the table, its primed copy, and noted reads.
	e, c, p, q string
	// locals of every transaction: p.a, p.hbh, a_stA.read and the value of HB
	pa, phbh, cycle, hbLocal string
	tableLocks               map[tableLock]*ir.Table
	moved                    bool // base is not the identity
}

func (rw *rewriter) program() {
	rw.collectNames()
	rw.out = &ir.Program{Name: rw.in.Name, Domain: rw.in.Domain, Notes: rw.in.Notes}
	rw.declare()
	done := map[*ir.Txn]*ir.Txn{}
	for _, t := range rw.in.Txns {
		done[t] = rw.transaction(t)
		rw.out.Txns = append(rw.out.Txns, done[t])
	}
	for _, pr := range rw.in.Processes {
		q := *pr
		q.Txns = nil
		for _, t := range pr.Txns {
			q.Txns = append(q.Txns, done[t])
		}
		rw.out.Processes = append(rw.out.Processes, &q)
	}
}

// collectNames notes every name of the program.
func (rw *rewriter) collectNames() {
	for _, t := range rw.in.Tables {
		rw.names[t.Name] = true
	}
	for _, t := range rw.in.Txns {
		rw.names[t.Name] = true
		for _, q := range t.Params {
			rw.names[q.Name] = true
		}
		for _, l := range t.Locals {
			rw.names[l.Name] = true
		}
		ir.Walk(t.Body, func(s ir.Stmt) {
			for _, src := range ir.Reads(s) {
				rw.names[src.Row] = true
			}
			switch s := s.(type) {
			case *ir.Block:
				rw.names[s.Label] = true
			case *ir.While:
				rw.names[s.Label] = true
			case *ir.ForRange:
				rw.names[s.Label] = true
			case *ir.Foreach:
				rw.names[s.Label] = true
			}
		})
	}
}

// name gives base, or base with a number where that is taken, and takes it.
func (rw *rewriter) name(base string) string {
	name := base
	for i := 1; rw.names[name]; i++ {
		name = base + "_" + itoa(i)
	}
	rw.names[name] = true
	return name
}

// transaction rewrites one template: a helper once HB is set, else by choice
// the attacker or an ordinary transaction.
func (rw *rewriter) transaction(t *ir.Txn) *ir.Txn {
	kept := len(rw.in.Processes) > 0
	out := &ir.Txn{Pos: t.Pos, Name: t.Name, Params: t.Params, Level: t.Level,
		Locals: append([]ir.Local(nil), t.Locals...)}
	w := &writer{rw: rw, txn: t, out: out, at: ir.At{Pos: t.Pos}, names: map[string]bool{}}
	local := func(name string, kept bool) string {
		out.Locals = append(out.Locals, ir.Local{Name: name, Type: ir.BoolType, Kept: kept})
		return name
	}
	w.pa, w.phbh = local(rw.pa, kept), local(rw.phbh, kept)
	w.cycle = local(rw.cycle, false)
	hb := local(rw.hbLocal, false)

	original := w.body(ordinary)
	attack := w.attack()
	help := w.help(kept)
	if opt := rw.opt.Attacker; opt == "" || opt == t.Name {
		original = []ir.Stmt{
			&ir.Havoc{At: w.at, Var: w.pa, NotNull: true},
			&ir.If{At: w.at, Cond: ir.V(w.pa), Then: attack, Else: original},
		}
	}
	out.Body = []ir.Stmt{
		readVar(w.at, hb, rw.hb),
		&ir.If{At: w.at, Cond: ir.V(hb), Then: help, Else: original},
	}
	return out
}

// attack is the delayed transaction (figure 9).
func (w *writer) attack() []ir.Stmt {
	rw := w.rw
	out := []ir.Stmt{setVar(w.at, rw.trA, boolean(true))} // (15)
	for _, s := range rw.order {
		out = append(out, &ir.CopyTable{At: w.at, Dst: s.prime, Src: s.base})
	}
	out = append(out, w.body(attacker)...)
	// (12), and a transaction that stores nothing is never worth delaying.
	return append(out,
		&ir.Assume{At: w.at, Cond: isTrue(rw.hb)},
		&ir.Assume{At: w.at, Cond: exists(rw.stA, ir.NotE(isNull(cell(rw.stA))))})
}

// help is a transaction that has to join the chain (figure 10).
func (w *writer) help(kept bool) []ir.Stmt {
	rw := w.rw
	var out, flags []ir.Stmt
	for _, s := range rw.order {
		flags = append(flags, &ir.CopyTable{At: w.at, Dst: s.eventI, Src: s.event})
	}
	for _, s := range rw.sites {
		flags = append(flags, &ir.CopyTable{At: w.at, Dst: s.eventI, Src: s.event})
	}
	if kept {
		out = append(out, &ir.Assume{At: w.at, Cond: ir.NotE(ir.V(w.pa))},
			&ir.If{At: w.at, Cond: ir.NotE(ir.V(w.phbh)), Then: flags}) // (16)
	} else {
		out = append(out, &ir.Assign{At: w.at, Var: w.phbh, Expr: boolean(false)})
		out = append(out, flags...)
	}
	out = append(out, &ir.Assign{At: w.at, Var: w.cycle, Expr: boolean(false)})
	out = append(out, w.body(helper)...)
	fail := append(rw.commitAttacker(w), &ir.Fail{At: w.at})
	if !rw.opt.Classic {
		// The claim may turn out to be wrong: the chain may also go on.
		stop := w.local("stop", ir.BoolType)
		fail = []ir.Stmt{&ir.Havoc{At: w.at, Var: stop, NotNull: true}, &ir.If{At: w.at, Cond: ir.V(stop), Then: fail}}
	}
	return append(out,
		&ir.Assume{At: w.at, Cond: ir.V(w.phbh)},          // (20)
		&ir.If{At: w.at, Cond: ir.V(w.cycle), Then: fail}) // (17), (18), (19)
}
