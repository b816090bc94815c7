package clock

import (
	"context"
	"runtime"
	"testing"
)

// TestYielding: with one thread, who asks a context whether it has ended lets others end it.
func TestYielding(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	asked := yielding{ctx}
	for n := 0; asked.Err() == nil; n++ {
		if n == 10000 {
			t.Fatal("the context has not ended")
		}
	}
	if runtime.GOOS != "js" && Yielding(ctx) != ctx {
		t.Error("there are other threads, and the context was changed")
	}
}
