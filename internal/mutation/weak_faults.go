package main

// weakFaults are those of the models of distributed stores.
var weakFaults = []Fault{
	{Name: "weak-closure", File: "internal/weak/explore.go", Old: "if in && e.sees[k]&^seen != 0 || !in", New: "if !in",
		Tests: "internal/weak:^TestPublished$", Breaks: "what a seen transaction sees need not be seen"},
	{Name: "weak-prefix", File: "internal/weak/explore.go", Old: "if e.model.prefix() && seen&(seen+1) != 0 {", New: "if e.model == SI && seen&(seen+1) != 0 {",
		Tests: "internal/weak:^TestPublished$", Breaks: "what is seen at PC is no prefix"},
	{Name: "weak-exclusion", File: "internal/weak/explore.go", Old: "if model.excludes() && seen>>k&1 == 0", New: "if model == SI && seen>>k&1 == 0",
		Tests: "internal/weak:^TestPublished$", Breaks: "two writers of a row need not see each other at PSI"},
	{Name: "weak-columns", File: "internal/weak/state.go", Old: "if sets {", New: "if sets || op.Table > 0 {",
		Tests: "internal/weak:^TestRandom$", Breaks: "an UPDATE writes the whole row"},
	{Name: "weak-upsert", File: "internal/weak/access.go", Old: "			f.at(s.Table, s.Conflict.Sets)\n", New: "",
		Tests: "internal/weak:^TestProve$", Breaks: "an ON CONFLICT is taken to write all columns", Survives: "who inserts reads whether the row is there, so that nothing is proved at CC and PC, and PSI orders writers of a row"},
	{Name: "weak-ordered-absent", File: "internal/weak/prove.go", Old: "return reader.made[c.table][c.key]", New: "return reader.must[c.table][c.key]",
		Tests: "internal/weak:^TestProve$", Breaks: "an UPDATE of a row that is not there is taken to write it"},
	{Name: "weak-follows", File: "internal/weak/prove.go", Old: "if a.key == \"\" || a.table != b.table || a.key != b.key {", New: "if a.table != b.table || a.key != b.key {",
		Tests: "internal/weak:^TestProve$", Breaks: "two rows that a query finds are taken for one"},
	{Name: "weak-turn", File: "internal/weak/prove.go", Old: "return first.kind == interp.RW || first.kind == interp.WW", New: "return first.kind == interp.RW",
		Tests: "internal/weak:^TestProve$", Breaks: "a lost update at PC has no shape"},
	{Name: "weak-condition", File: "internal/weak/access.go", Old: "return row, row.key != \"\" && len(parts) == len(list)", New: "return row, row.key != \"\"",
		Tests: "internal/weak:^TestProve$", Breaks: "an UPDATE under a condition is taken to write its row"},
	{Name: "weak-beyond-parent", File: "internal/weak/beyond.go", Old: "parent.deletes || sets", New: "sets",
		Tests: "internal/weak:^TestBeyond$", Breaks: "a foreign key whose parents go has a meaning"},
}
