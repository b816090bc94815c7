// Package terminal shows people what is being done.
package terminal

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/txrobust/robust/internal/quote"
)

// Is reports whether somebody looks at what is written.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Progress shows what is being done, on terminals only.
func Progress(w io.Writer) (show func(done, total int, what string), end func()) {
	if !Is(w) {
		return func(int, int, string) {}, func() {}
	}
	columns, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil || columns <= 0 {
		columns = usual
	}
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(20), progressbar.OptionSetElapsedTime(true))
	show = func(done, total int, what string) {
		bar.Describe(quote.Clip(quote.Line(what), max(columns-figures, 10)))
		if total > 0 {
			bar.ChangeMax(total)
			bar.Set(done)
		} else {
			bar.ChangeMax(-1)
			bar.Add(1)
		}
	}
	return show, func() { // a bar without a length never ends, and would go on to draw itself
		bar.ChangeMax(1)
		bar.Finish()
	}
}

const (
	usual   = 80 // columns of a terminal
	figures = 30 // columns that stand behind what is being done
)

// Working shows what is being done, and that it goes on, on terminals only.
func Working(w io.Writer) (say func(what string), end func()) {
	show, hide := Progress(w)
	news := make(chan string)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		what := ""
		for {
			select {
			case said, more := <-news:
				if !more {
					return
				}
				what = said
			case <-tick.C:
			}
			show(0, 0, what)
		}
	})
	return func(what string) { news <- what }, func() { close(news); done.Wait(); hide() }
}
