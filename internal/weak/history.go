package weak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/isolation"
)

// there is the column that stands for whether a row exists.
const there = -1

// object is a column of a row, or whether the row is there.
type object struct {
	table int
	key   string
	col   int
}

// recorder makes a recorded history of an execution whose runs are traced.
type recorder struct {
	p *ir.Program
	x *interp.Execution
	b *history.Builder
	// writers has who writes an object, in the order of arbitration.
	writers map[object][]int
	// versions has the values that rows have at some time, by table and key.
	versions []map[string][][]ir.Value
	numbers  map[object]int
}

// History makes a recorded history of an execution, for checkers of histories. Each column of a
// row that somebody writes is a register, and so is whether a row is there. A transaction
// reads what decides about the results of its queries. The last transaction reads all that is
// there at the end. Registers are added for what no column shows: who follows another transaction in
// its session reads from it, so that levels without sessions have them, too; and the last
// transaction reads from each that writes.
func History(p *ir.Program, x *interp.Execution) (*history.History, error) {
	r := &recorder{p: p, x: x, b: history.NewBuilder(), writers: map[object][]int{}, versions: make([]map[string][][]ir.Value, len(p.Tables)), numbers: map[object]int{}}
	for i := range x.Txns {
		for _, o := range written(p, x.Txns[i].Run) {
			r.writers[o] = append(r.writers[o], i)
		}
	}
	r.collect()
	order := make([]int, len(x.Txns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(x.Txns[i].Session, x.Txns[k].Session) })
	for _, i := range order {
		r.txn(i)
	}
	r.end()
	return r.b.Build()
}

// Snapshots gives the states that the transactions of an execution read, in its order.
func Snapshots(p *ir.Program, x *interp.Execution) []*interp.DB {
	var out []*interp.DB
	for i := range x.Txns {
		out = append(out, apply(p, x.Versions[0], among(x, setOf(&x.Txns[i]))))
	}
	return out
}

// written gives the objects that a run writes, each once.
func written(p *ir.Program, run *interp.Run) []object {
	var out []object
	add := func(o object) {
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Kind != interp.OpUpdate {
			add(object{op.Table, op.Key, there})
		}
		for c := range p.Tables[op.Table].Columns {
			if op.Kind != interp.OpUpdate || op.Cols == nil || op.Cols[c] {
				add(object{op.Table, op.Key, c})
			}
		}
	}
	return out
}

// collect finds the values that rows have.
func (r *recorder) collect() {
	add := func(t int, row []ir.Value) {
		if row == nil {
			return
		}
		if r.versions[t] == nil {
			r.versions[t] = map[string][][]ir.Value{}
		}
		key := interp.KeyOf(r.p.Tables[t], row)
		r.versions[t][key] = append(r.versions[t][key], row)
	}
	for t := range r.p.Tables {
		for _, row := range r.x.Versions[0].Rows(t) {
			add(t, row)
		}
	}
	for i := range r.x.Txns {
		for k := range r.x.Txns[i].Run.Ops {
			op := &r.x.Txns[i].Run.Ops[k]
			add(op.Table, op.New)
			add(op.Table, op.Old)
		}
	}
}

// maxMixed bounds the combinations of values of a row that are tried.
const maxMixed = 256

// takesPart reports whether a row may take part in a read, with any of the values that its
// columns have at some time.
func takesPart(read *interp.Read, versions [][]ir.Value) bool {
	if !read.Alone {
		return true // it depends on other rows
	}
	mixed := [][]ir.Value{versions[0]}
	for c := range versions[0] {
		for _, v := range versions[1:] {
			for _, m := range mixed {
				if m[c] == v[c] || slices.ContainsFunc(mixed, func(o []ir.Value) bool { return o[c] == v[c] }) {
					continue
				}
				n := slices.Clone(m)
				n[c] = v[c]
				mixed = append(mixed, n)
			}
			if len(mixed) > maxMixed {
				return true
			}
		}
	}
	return slices.ContainsFunc(mixed, read.Matches)
}

// name is the register of an object.
func (r *recorder) name(o object) history.Key {
	n, known := r.numbers[o]
	if !known {
		n = len(r.numbers)
		r.numbers[o] = n
	}
	col := ""
	if o.col != there {
		col = "." + r.p.Tables[o.table].Columns[o.col].Name
	}
	return r.b.Key(history.String(fmt.Sprintf("%s(%s)%s #%d", r.p.Tables[o.table].Name, r.rowName(o), col, n)))
}

// rowName is the key of a row for people.
func (r *recorder) rowName(o object) string {
	t := r.p.Tables[o.table]
	row := r.versions[o.table][o.key][0]
	var parts []string
	for _, c := range t.Key {
		parts = append(parts, row[c].String())
	}
	return strings.Join(parts, ", ")
}

// source gives the last of those who write an object that may is true of, or -1.
func (r *recorder) source(o object, may func(i int) bool) int {
	list := r.writers[o]
	for k := len(list) - 1; k >= 0; k-- {
		if may(list[k]) {
			return list[k]
		}
	}
	return -1
}

// read adds that the version of a transaction is read, or the initial one.
func (r *recorder) read(o object, from int) {
	v := history.Initial
	if from >= 0 {
		v = r.value(from)
	}
	r.b.Read(r.name(o), v)
}

func (r *recorder) value(i int) history.Value {
	return r.b.Value(history.String(fmt.Sprintf("by %d", i+1)))
}

func (r *recorder) txn(i int) {
	c := &r.x.Txns[i]
	txn := r.b.Txn(r.b.Session(history.Int(int64(c.Session+1))), history.Committed)
	r.b.SetNumber(txn, int64(i+1))
	r.b.SetLabel(txn, c.Run.Inst.String())
	sees := func(k int) bool { return k < i && c.Sees[k] }
	snapshot := apply(r.p, r.x.Versions[0], among(r.x, setOf(c)))
	done := map[object]bool{}
	see := func(list []object) {
		for _, o := range list {
			if r.writers[o] != nil && !done[o] {
				done[o] = true
				r.read(o, r.source(o, sees))
			}
		}
	}
	for k := range c.Run.Reads {
		see(r.looked(c.Run, &c.Run.Reads[k], snapshot))
	}
	see(r.required(c.Run))
	if before := r.before(i); before >= 0 {
		r.b.Read(r.session(c.Session), r.value(before))
	}
	ours := written(r.p, c.Run)
	for _, o := range ours {
		r.b.Write(r.name(o), r.value(i))
	}
	if len(ours) > 0 {
		r.b.Write(r.over(i), r.value(i))
	}
	r.b.Write(r.session(c.Session), r.value(i))
}

// looked gives the objects that decide about the result of a read, but for objects that the
// transaction had written itself.
func (r *recorder) looked(run *interp.Run, read *interp.Read, snapshot *interp.DB) []object {
	t := read.Table
	own := map[object]bool{}
	for _, o := range written(r.p, &interp.Run{Ops: run.Ops[:min(read.OwnOps, len(run.Ops))]}) {
		own[o] = true
	}
	rows := map[string]bool{}
	for _, row := range snapshot.Rows(t) {
		rows[interp.KeyOf(r.p.Tables[t], row)] = true
	}
	var out []object
	for key, versions := range r.versions[t] {
		o := object{t, key, there}
		if own[o] || !takesPart(read, versions) {
			continue
		}
		out = append(out, o)
		for c := range r.p.Tables[t].Columns {
			o := object{t, key, c}
			if rows[key] && !own[o] && (read.Cols[c] || read.Tested[c]) {
				out = append(out, o)
			}
		}
	}
	slices.SortFunc(out, byPlace)
	return out
}

// required gives what has to hold for the writes of a run: that no row has the key of an
// inserted one, the columns of CHECKs, and that there are parents.
func (r *recorder) required(run *interp.Run) []object {
	var out []object
	own := map[object]bool{}
	for k := range run.Ops {
		op := &run.Ops[k]
		var list []object
		switch t := r.p.Tables[op.Table]; {
		case op.Kind == interp.OpInsert:
			list = append(list, object{op.Table, op.Key, there})
		case op.Kind == interp.OpUpdate && len(t.Checks) > 0:
			for c := range t.Columns {
				list = append(list, object{op.Table, op.Key, c})
			}
		}
		list = append(list, r.parents(op)...)
		for _, o := range list {
			if !own[o] {
				out = append(out, o)
			}
		}
		for _, o := range written(r.p, &interp.Run{Ops: run.Ops[k : k+1]}) {
			own[o] = true
		}
	}
	return out
}

// parents gives the rows that foreign keys of a written row may refer to.
func (r *recorder) parents(op *interp.Op) []object {
	var out []object
	for i := range r.p.Tables[op.Table].ForeignKeys {
		if op.New == nil {
			break
		}
		fk := &r.p.Tables[op.Table].ForeignKeys[i]
		parent := r.p.TableIndex(fk.Ref)
		for key, versions := range r.versions[parent] {
			refers := true
			for k, c := range fk.Columns {
				refers = refers && versions[0][fk.RefColumns[k]] == op.New[c]
			}
			if refers {
				out = append(out, object{parent, key, there})
			}
		}
	}
	slices.SortFunc(out, byPlace)
	return out
}

func byPlace(a, b object) int {
	return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.key, b.key), cmp.Compare(a.col, b.col))
}

// before gives the transaction before another one in its session, or -1.
func (r *recorder) before(i int) int {
	for k := range r.x.Txns {
		if r.x.Txns[k].Session == r.x.Txns[i].Session && r.x.Txns[k].Index == r.x.Txns[i].Index-1 {
			return k
		}
	}
	return -1
}

// session is the register by which the transactions of a session follow each other.
func (r *recorder) session(s int) history.Key {
	return r.b.Key(history.String(fmt.Sprintf("session %d", s+1)))
}

// over is the register by which a transaction says that it comes before the end.
func (r *recorder) over(i int) history.Key {
	return r.b.Key(history.String(fmt.Sprintf("%d is over", i+1)))
}

// end adds the transaction that reads what is there at the end.
func (r *recorder) end() {
	last := 0
	for i := range r.x.Txns {
		last = max(last, r.x.Txns[i].Session+1)
	}
	txn := r.b.Txn(r.b.Session(history.Int(int64(last+1))), history.Committed)
	r.b.SetNumber(txn, int64(len(r.x.Txns)+1))
	r.b.SetLabel(txn, "the rows at the end")
	var objects []object
	for o := range r.writers {
		objects = append(objects, o)
	}
	slices.SortFunc(objects, byPlace)
	rows := map[object]bool{}
	for t := range r.p.Tables {
		for _, row := range r.x.Last().Rows(t) {
			rows[object{t, interp.KeyOf(r.p.Tables[t], row), there}] = true
		}
	}
	for _, o := range objects {
		if o.col == there || rows[object{o.table, o.key, there}] {
			r.read(o, r.source(o, func(int) bool { return true }))
		}
	}
	for i := range r.x.Txns {
		if len(r.x.Txns[i].Run.Ops) > 0 {
			r.b.Read(r.over(i), r.value(i))
		}
	}
}

// judgeTime is for all checkers of one history, which take milliseconds.
const judgeTime = 30 * time.Second

// Judge shows the history of an execution of a model that no serial order explains to checkers
// of histories: each has to accept it at the levels of the model, and to reject it at SER. An
// error says that a checker contradicts, which is a fault of this program.
func Judge(ctx context.Context, h *history.History, model Model, judges []crosscheck.Judge) ([]crosscheck.Judgement, error) {
	ctx, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	out := []crosscheck.Judgement{}
	var faults error
	ask := func(level isolation.Level, want isolation.Verdict) {
		for _, j := range judges {
			if !slices.Contains(j.Levels, level) || !slices.Contains(j.Forms, crosscheck.Registers) || j.MaxTxns > 0 && h.NumTxns()-1 > j.MaxTxns {
				continue
			}
			start := time.Now()
			o, err := j.Check(ctx, h, level)
			g := crosscheck.Judgement{Checker: j.Name, History: crosscheck.Registers, Level: level.String(), Expected: want.String(),
				Verdict: verdictOf(o.Verdict).String(), MS: float64(time.Since(start).Microseconds()) / 1000}
			switch {
			case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
				g.Verdict, g.Why = isolation.Unknown.String(), "the time ran out"
			case err != nil:
				faults = errors.Join(faults, fmt.Errorf("weak: %s: %w", j.Name, err))
			case g.Verdict == isolation.Unknown.String():
				g.Why = o.Why
			}
			if out = append(out, g); !g.Agrees() {
				faults = errors.Join(faults, fmt.Errorf("weak: a checker of histories disagrees with an execution at %s: %s", model.Long(), &g))
			}
		}
	}
	for _, l := range model.Levels() {
		ask(l, isolation.Accept)
	}
	ask(isolation.SER, isolation.Reject)
	return out, faults
}

func verdictOf(v checker.Verdict) isolation.Verdict {
	switch v {
	case checker.Satisfied:
		return isolation.Accept
	case checker.Violated:
		return isolation.Reject
	case checker.Unknown:
		return isolation.Unknown
	}
	panic(fmt.Sprintf("weak: unknown verdict %d", v))
}
