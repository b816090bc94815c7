package module

func third(n int) bool {
	f := even
	return f(n)
}
