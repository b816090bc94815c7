package pipeline

import (
	"context"
	"log/slog"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// Init lets Beam look at its flags, which were parsed. In a worker it does not return. Where the
// log of Beam is not shown, what goes wrong is the error of Run all the same.
func Init(logs bool) {
	if !logs {
		log.LogLevel = "error"
		log.SetLogger(silent{})
	}
	beam.Init()
	if !logs {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
}

type silent struct{}

func (silent) Log(context.Context, log.Severity, int, string) {}
