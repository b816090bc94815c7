package crosscheck

import (
	"context"
	"fmt"

	"github.com/txrobust/robust/history/codec"
)

// formats are those that hold the histories of a form: all of package codec that can
// be written.
func formats(f Form) []codec.Format {
	switch f {
	case Registers, Constraints:
		return []codec.Format{codec.Plume, codec.AWDIT, codec.Dbcop, codec.Cobra, codec.Viper, codec.EDN, codec.Compact}
	case Lists:
		return []codec.Format{codec.EDN, codec.Compact}
	}
	panic("crosscheck: unknown form " + string(f))
}

// Forms are those in which a trace is judged.
func (t *Trace) Forms() []Form {
	if t.late() {
		return Forms()
	}
	return []Form{Registers, Lists}
}

// Files are the histories of a trace in every format, as form/format/file. It is no method, since the linker keeps those of
// all types where templates are used, and a browser has no use for it.
func Files(ctx context.Context, t *Trace) ([]codec.File, error) {
	var out []codec.File
	for _, f := range t.Forms() {
		h, err := t.History(f)
		if err != nil {
			return nil, err
		}
		for _, format := range formats(f) {
			files, _, err := codec.Files(ctx, h, format)
			if err != nil {
				return nil, fmt.Errorf("crosscheck: the history as %s in the format %s: %w", f, format, err)
			}
			for _, x := range files {
				out = append(out, codec.File{Name: fmt.Sprintf("%s/%s/%s", f, format, x.Name), Text: x.Text})
			}
		}
	}
	return out, nil
}
