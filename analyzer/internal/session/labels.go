package session

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// withoutLabels drops the texts that stand before the statement among the arguments of a method of the program's own, such as
// a name for measurements. They are constants that begin as no statement does. Where a text is one of two, none is known.
func withoutLabels(in *Session, sig *types.Signature, args []memory.Value) []memory.Value {
	fixed := sig.Params().Len()
	from := fixed - len(args)
	if sig.Variadic() {
		fixed--
	}
	var texts []int
	for i := range args {
		if from >= 0 && from+i < fixed && gotypes.KindOf(sig.Params().At(from+i).Type()) == client.Text {
			texts = append(texts, i)
		}
	}
	if len(texts) < 2 {
		return args
	}
	last := texts[len(texts)-1]
	out := slices.Clone(args)
	for _, i := range texts[:len(texts)-1] {
		label, known := memory.ConstText(args[i])
		if !known || strings.Contains(label, client.Hole) || in.isStatement(args[i]) {
			out[last] = memory.Of(client.C(ir.Text(client.Hole)), client.Text)
		}
	}
	for _, i := range slices.Backward(texts[:len(texts)-1]) {
		out = slices.Delete(out, i, i+1)
	}
	return out
}
