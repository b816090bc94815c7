package module

type list[T any] struct{ next *list[T] }

func (l *list[T]) length() int {
	if l == nil {
		return 0
	}
	return 1 + l.rest()
}

func (l *list[T]) rest() int { return l.next.length() }

func even(n int) bool { return n == 0 || odd(n-1) }

func odd(n int) bool { return n != 0 && third(n-1) }

func alone() bool { return even(1) }

func itself(n int) int { return itself(n - 1) }

var _ = alone
