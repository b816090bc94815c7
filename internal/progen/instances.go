package progen

import (
	"math/rand"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// Instances picks n random instances of the templates of p, now and then two for one
// session. Parameters are integers from 0 to 2, or NULL where that may be.
func Instances(r *rand.Rand, p *ir.Program, n int) []interp.Session {
	var out []interp.Session
	for i := range n {
		in := &interp.Instance{Txn: p.Txns[r.Intn(len(p.Txns))], ID: i}
		for _, q := range in.Txn.Params {
			v := ir.Int(int64(r.Intn(3)))
			if !q.NotNull && r.Intn(6) == 0 {
				v = ir.Null
			}
			in.Params = append(in.Params, v)
		}
		if i > 0 && r.Intn(8) == 0 {
			out[len(out)-1] = append(out[len(out)-1], in)
			continue
		}
		out = append(out, interp.Session{in})
	}
	return out
}
