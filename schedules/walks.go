package schedules

import "github.com/txrobust/robust/ir"

// Processes gives the sessions of the program's processes, with n copies of
// those that may have any number.
func Processes(p *ir.Program, n int) [][]*ir.Txn {
	var out [][]*ir.Txn
	for _, pr := range p.Processes {
		copies := pr.Copies
		if copies == ir.Any {
			copies = n
		}
		for i := 0; i < copies; i++ {
			out = append(out, pr.Txns)
		}
	}
	return out
}
