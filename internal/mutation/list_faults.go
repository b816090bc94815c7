package main

// listFaults are those of lists, and of results that come in an order.
var listFaults = []Fault{
	{Name: "pgx-batch-order", File: "analyzer/internal/libs/pgx/batch.go", Old: "loose: b.loose || unsent != nil || in.Unordered[p.To], taken", New: "loose: b.loose || unsent != nil, taken",
		Tests: "analyzer:^TestBatchResults$", Breaks: "the results of what a loop queues are those of what stands behind it"},
	{Name: "pgx-batch-paths", File: "analyzer/internal/libs/pgx/batch.go", Old: "	return &batch{loose: true}, true\n", New: "	return vals[len(vals)-1], true\n",
		Tests: "analyzer:^TestBatchResults$", Breaks: "a batch has what one of the paths queues"},
	{Name: "pgx-batch-next", File: "analyzer/internal/libs/pgx/batch.go", Old: "memory.Of(memory.ConstInt(n.I+1), client.Int)", New: "memory.Of(memory.ConstInt(n.I), client.Int)",
		Tests: "analyzer:^TestBatchResults$", Breaks: "each result of a batch is that of the first statement"},
}
