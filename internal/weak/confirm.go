package weak

import (
	"context"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
)

// Confirm replays what was found in a model, compares it with all serial orders, describes it,
// and shows its history to the checkers of histories. An error says that one of these
// contradicts, which is a fault of this program.
func (f *Found) Confirm(ctx context.Context, p *ir.Program, model Model, anyOrder bool, judges []crosscheck.Judge) (*witness.Witness, []crosscheck.Judgement, error) {
	x, err := Replay(p, model, f.Sessions, f.Execution, anyOrder)
	if err != nil {
		return nil, nil, err
	}
	e := witness.Evidence{Program: p, Engine: engine.SI(), Rows: f.Rows, Sessions: f.Sessions, Execution: x, AnyOrder: anyOrder}
	w, err := witness.BuildIn(model.String(), e, Snapshots(p, x))
	if err != nil {
		return nil, nil, err
	}
	h, err := History(p, x)
	if err != nil {
		return nil, nil, err
	}
	judged, err := Judge(ctx, h, model, judges)
	return w, judged, err
}
