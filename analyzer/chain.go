package analyzer

// chain is a query that GORM builds call by call.
type chain struct {
	h *handle
}

func (in *interp) onChain(*invocation, *chain, string, []value) (value, bool) { return nil, false }
