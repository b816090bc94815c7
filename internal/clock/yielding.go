package clock

import (
	"context"
	"runtime"
)

// Yielding gives a context whose Err lets others run first where one thread does everything and
// nobody interrupts it, as in a browser: what ends the context would wait for the work that asks.
func Yielding(ctx context.Context) context.Context {
	if runtime.GOOS != "js" {
		return ctx
	}
	return yielding{ctx}
}

type yielding struct{ context.Context }

// Err is that of the context.
func (y yielding) Err() error {
	runtime.Gosched()
	return y.Context.Err()
}
