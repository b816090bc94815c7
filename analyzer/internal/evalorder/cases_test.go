package evalorder

// Each of these functions gives a number and an error that a call in the same statement gives. The call sets what the
// number is made of to 7: the compiled function shows whether it is read before.

type box struct {
	n    int
	list []int
	next *box
}

func set(p *int) error                   { *p = 7; return nil }
func setBox(b *box) error                { b.n, b.list = 7, []int{7, 7}; return nil }
func setText(s *string) error            { *s = "seven"; return nil }
func setMap(m map[string]int) error      { m["a"] = 7; return nil }
func pair(n int, err error) (int, error) { return n, err }
func variadic(list ...any) (int, error) {
	n, _ := list[0].(int)
	err, _ := list[1].(error)
	return n, err
}
func (b *box) set() error { return setBox(b) }
func (b box) get() int    { return b.n }

var global int

func plain() (int, error)            { var n int; return n, set(&n) }
func named() (n int, err error)      { return n, set(&n) }
func field() (int, error)            { var b box; return b.n, setBox(&b) }
func byMethod() (int, error)         { var b box; return b.n, b.set() }
func throughPointer() (int, error)   { b := new(box); return b.n, setBox(b) }
func nested() (int, error)           { b := &box{next: new(box)}; return b.next.n, setBox(b.next) }
func star() (int, error)             { n := new(int); return *n, set(n) }
func element() (int, error)          { var a [3]int; return a[1], set(&a[1]) }
func ofMap() (int, error)            { m := map[string]int{}; return m["a"], setMap(m) }
func length() (int, error)           { var s string; return len(s), setText(&s) }
func lengthOfList() (int, error)     { var b box; return len(b.list), setBox(&b) }
func ofList() (int, error)           { b := box{list: []int{0}}; return b.list[0], setBox(&b) }
func sum() (int, error)              { var n int; return n + 1, set(&n) }
func negative() (int, error)         { var n int; return -n, set(&n) }
func converted() (int, error)        { var n int; return int(int64(n)), set(&n) }
func argument() (int, error)         { var n int; return pair(n, set(&n)) }
func variadicArgument() (int, error) { var n int; return variadic(n, set(&n)) }
func secondArgument() (int, error) {
	var n int
	x := func(err error, n int) int { return n }
	return x(set(&n), n), nil
}
func afterwards() (int, error) { var n int; err := set(&n); return n, err }
func ofPackage() (int, error)  { global = 0; return global, set(&global) }
func captured() (int, error) {
	var n int
	f := func() (int, error) { return n, set(&n) }
	return f()
}
func assigned() (int, error) {
	var n int
	var b box
	b.n, b.list = n, func() []int { set(&n); return nil }()
	return b.n, nil
}
func added() (int, error) {
	var n int
	more := func() int { n = 7; return 1 }
	n += more()
	return n, nil
}
func inLiteral() (int, error) {
	type result struct {
		n   int
		err error
	}
	var n int
	r := &result{n: n, err: set(&n)}
	return r.n, r.err
}
func inLiteralUsedLater() (int, error) {
	var n int
	r := &box{n: n, list: func() []int { set(&n); return nil }()}
	if r.list != nil {
		return 0, nil
	}
	return r.n, nil
}
func inList() (int, error) {
	var n int
	list := []any{n, set(&n)}
	return list[0].(int), nil
}
func compared() (int, error) {
	var n int
	if n == func() int { n = 7; return 7 }() {
		return 1, nil
	}
	return 0, nil
}

// What an earlier statement has read stays.

func before() (int, error)         { var n int; old := n; return old, set(&n) }
func beforeBoth() (int, error)     { var n int; old := n; set(&n); return pair(old+n-n, nil) }
func fieldBefore() (int, error)    { var b box; old := b.n; setBox(&b); return pair(old, nil) }
func fieldAndBefore() (int, error) { var b box; old := b.n; setBox(&b); return variadic(old, nil, b.n) }
func starBefore() (int, error)     { n := new(int); old := *n; set(n); return pair(old+*n-*n, nil) }
func mapBefore() (int, error) {
	m := map[string]int{}
	old := m["a"]
	setMap(m)
	return pair(old+m["a"]-m["a"], nil)
}

// A call reads its arguments when it is made.

func made() (int, error)     { var n int; return func(n int) int { return n }(n), set(&n) }
func receiver() (int, error) { var b box; return b.get(), setBox(&b) }
func madeTwice() (int, error) {
	var n int
	x := func(n int, err error) int { return n }
	return x(n, nil) + x(n, set(&n)), nil
}
