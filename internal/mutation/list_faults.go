package main

// listFaults are those of lists, and of results that come in an order.
var listFaults = []Fault{
	{Name: "pgx-batch-order", File: "analyzer/internal/libs/pgx/batch.go", Old: "loose: b.loose || unsent != nil || in.Unordered[p.To], taken", New: "loose: b.loose || unsent != nil, taken",
		Tests: "analyzer:^TestBatchResults$", Breaks: "the results of what a loop queues are those of what stands behind it"},
	{Name: "pgx-batch-paths", File: "analyzer/internal/libs/pgx/batch.go", Old: "	return &batch{loose: true}, true\n", New: "	return &batch{}, true\n",
		Tests: "analyzer:^TestBatchResults$", Breaks: "a batch has what one of the paths queues"},
	{Name: "pgx-batch-next", File: "analyzer/internal/libs/pgx/batch.go", Old: "memory.Of(memory.ConstInt(n.I+1), client.Int)", New: "memory.Of(memory.ConstInt(n.I), client.Int)",
		Tests: "analyzer:^TestBatchResults$", Breaks: "each result of a batch is that of the first statement"},
	{Name: "element-written", File: "analyzer/internal/absint/element.go", Old: "		if !onlyRead(v) {\n			memory.ChangesElements(in.Memory, in.ScalarOf(x).E)\n		}\n", New: "",
		Tests: "analyzer:^TestWanted$", Breaks: "an element is what it was before somebody wrote to it"},
	{Name: "element-appended", File: "analyzer/internal/absint/call.go", Old: "			memory.ChangesElements(in.Memory, x)\n", New: "			_ = x\n",
		Tests: "analyzer:^TestWanted$", Breaks: "an element is what it was before a list was made in its memory"},
	{Name: "element-given-away", File: "analyzer/internal/memory/gathered.go", Old: "		if v.Kind == client.Any {\n			ChangesElements(in, v.E)\n		}\n", New: "",
		Tests: "analyzer:^TestWanted$", Breaks: "an element is what it was before a function got the list"},
	{Name: "element-of-field", File: "analyzer/internal/memory/lists.go", Old: "					ShareList(in, given)\n", New: "					_ = given\n",
		Tests: "analyzer:^TestWanted$", Breaks: "an element is what it was before a function got the struct that has the list"},
	{Name: "element-forgotten", File: "analyzer/internal/memory/elementat.go", Old: "			if _, has := in.St.Mem[l]; has {", New: "			if _, has := in.St.Mem[l]; has && in.Loops > 9 {",
		Tests: "analyzer:^TestWanted$", Breaks: "an element is what it was in front of a loop that changes it"},
	{Name: "entry-written", File: "analyzer/internal/absint/instr.go", Old: "			memory.ShareList(in.Memory, in.value(instr.Map))\n", New: "",
		Tests: "analyzer:^TestWanted$", Breaks: "an entry is what it was before somebody wrote to the map"},
}
