package main

// followFaults are those of judging a recording while it grows.
var followFaults = []Fault{
	{Name: "follow-closed", File: "internal/checker/follow/weak.go", Old: "case r.origin == fromInitial, r.origin == fromClosed && w.level == isolation.CC:", New: "case r.origin == fromInitial:",
		Tests: "internal/checker/follow", Breaks: "at CC, who read a closed version that is not the last one saw nothing of the closed past"},
	{Name: "follow-initial", File: "internal/checker/follow/weak.go", Old: "case r.origin == fromInitial, r.origin == fromClosed && w.level == isolation.CC:", New: "case r.origin == fromClosed && w.level == isolation.CC:",
		Tests: "internal/checker/follow", Breaks: "who read an initial version saw nothing of the closed past"},
	{Name: "follow-rc-initial", File: "internal/checker/follow/weak.go", Old: "if s.origin == fromInitial && slices.ContainsFunc(reads, func(r read) bool { return r.origin == fromBase }) {", New: "if s.origin == fromInitial && len(reads) < 0 {",
		Tests: "internal/checker/follow", Breaks: "at RC, an initial version may be read after a closed one"},
	{Name: "follow-before", File: "internal/checker/follow/weak.go", Old: "return u.pos < s.txn.pos", New: "return true",
		Tests: "internal/checker/follow", Breaks: "closed versions are in every order"},
	{Name: "follow-rc-before", File: "internal/checker/follow/weak.go", Old: "if r.txn != nil && writesKey(r.txn, o.key) && !w.before(r.txn, o.key, s) {", New: "if r.txn != nil && writesKey(r.txn, o.key) && !w.before(r.txn, o.key, s) && len(reads) < 0 {",
		Tests: "internal/checker/follow", Breaks: "at RC, an older version may be read after a newer one"},
	{Name: "follow-session", File: "internal/checker/follow/weak.go", Old: "if u := w.last[placed{t.session, r.key}]; u != nil && !w.before(u, r.key, r.source) {", New: "if u := w.last[placed{t.session, r.key}]; u != nil && !w.before(u, r.key, r.source) && len(reads) < 0 {",
		Tests: "internal/checker/follow", Breaks: "a session need not see what it wrote"},
	{Name: "follow-tainted", File: "internal/checker/follow/close.go", Old: "if tainted[t] {\n			n = i", New: "if tainted[t] && t.closed {\n			n = i",
		Tests: "internal/checker/follow", Breaks: "who read what is not recorded yet is closed"},
	{Name: "follow-forgotten", File: "internal/checker/follow/close.go", Old: "			j.seen.add(v)\n", New: "",
		Tests: "internal/checker/follow", Breaks: "forgotten versions were never written"},
	{Name: "follow-no-effect", File: "internal/checker/follow/source.go", Old: "case w.txn.closed && !w.txn.effective:\n		return source{origin: fromForgotten}", New: "case w.txn.closed && !w.txn.effective:\n		return source{origin: fromClosed, txn: w.txn}",
		Tests: "internal/checker/follow", Breaks: "what was closed without effect is a version of the past"},
	{Name: "follow-last", File: "internal/checker/follow/source.go", Old: "	case w.txn.closed:\n		return source{origin: fromClosed, txn: w.txn}", New: "	case w.txn.closed:\n		return source{origin: fromBase, txn: w.txn}",
		Tests: "internal/checker/follow", Breaks: "every closed version is the last one"},
	{Name: "follow-first-commits", File: "internal/checker/follow/schedule.go", Old: "case n.begun && s.committed[m.key] > n.began:", New: "case n.begun && s.committed[m.key] > n.began && v < 0:",
		Tests: "internal/checker/follow", Breaks: "at SI, the second of two writers commits, too"},
	{Name: "tail-replaced", File: "internal/tail/tail.go", Old: "		g.replaced = true // a last line may have been written after the end was met\n		return piece{}, nil", New: "		return g.another()",
		Tests: "internal/tail:^TestReplaced$", Breaks: "the last line of a file that is replaced is lost"},
}
