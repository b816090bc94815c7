package main

// repairFaults are those of repairs.
var repairFaults = []Fault{
	{Name: "repair-comment", File: "internal/repair/text.go", Old: "last == 1 && toks[len(toks)-1].Kind == pg.Comment", New: "last > 1",
		Tests: "internal/repair:^TestForms$", Breaks: "a semicolon in a comment ends a statement, and what follows is no part of its condition"},
	{Name: "repair-body", File: "internal/repair/text.go", Old: "limit := bodyEnd(text, start)", New: "limit := len(text)",
		Tests: "internal/repair:^TestLastStatement$", Breaks: "a statement goes on behind the body of its function"},
	{Name: "repair-line", File: "internal/repair/text.go", Old: "return at + m[1], indent", New: "return at, indent",
		Tests: "internal/repair:^TestOneLine$", Breaks: "a lock stands before the function of its statement"},
	{Name: "repair-behind", File: "internal/repair/text.go", Old: "return s.insert(at+m[1], ", New: "return s.insert(at+1, ",
		Tests: "internal/repair:^TestBehind$", Breaks: "a declaration stands in the one before it"},
	{Name: "repair-overwrites", File: "internal/repair/apply.go", Old: "err == nil && string(now) != w.was", New: "err == nil && now == nil",
		Tests: "internal/repair:^TestApply", Breaks: "-apply overwrites what was changed meanwhile"},
	{Name: "repair-half", File: "internal/repair/apply.go", Old: "			return undone(list[:i+1], err)", New: "			return fmt.Errorf(\"%w: %d\", err, i)",
		Tests: "internal/repair:^TestApply", Breaks: "a full disk leaves a file half written"},
	{Name: "repair-levels", File: "internal/repair/repair.go", Old: "rep, err := s.Check(ctx, prog.Program, raised(changes))", New: "rep, err := s.Check(ctx, prog.Program, nil)",
		Tests: "internal/repair:^TestNoDiff$", Breaks: "a level that no file says is not raised"},
}
