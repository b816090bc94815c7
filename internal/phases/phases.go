// Package phases measures the time and the memory of the parts of the work.
package phases

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/txrobust/robust/report"
)

// Phases measures the parts of the work on a program.
type Phases struct {
	List  []report.Phase
	start time.Time
}

// Start begins the first phase.
func Start() *Phases {
	resetPeak()
	return &Phases{start: time.Now()}
}

// End ends a phase, and begins the next one.
func (p *Phases) End(name string) {
	p.List = append(p.List, report.Phase{Name: name, MS: time.Since(p.start).Milliseconds(), PeakMB: peakMB()})
	resetPeak()
	p.start = time.Now()
}

// peakMB is the most memory of this process since resetPeak, in MB: that of Go
// and of the solver, but not that of the go command. It is 0 where the system does
// not tell.
func peakMB() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kb int64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return 0
	}
	return kb >> 10
}

// resetPeak lets the peak begin anew. Where the system does not do that, a phase
// has the peak of all before it.
func resetPeak() { os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
