// Package golangci makes the analyzer of package lint a plugin of golangci-lint
// v2, by its module plugin system: a file .custom-gcl.yml that names this package
// lets golangci-lint custom build a golangci-lint that has it. docs/go.md shows
// how.
//
// golangci-lint hands over one package at a time. So findings are those of the
// packages that are programs, each with its whole module, as with go vet. They may
// stand in other packages. It keeps results until Go code changes: a change of the
// schema alone goes unseen until its cache is cleaned.
//
// Source: the documentation of golangci-lint (module plugins) and of package
// register.
package golangci

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/txrobust/robust/lint"
)

func init() { register.Plugin("robust", New) }

// Settings are those of the linter in .golangci.yml. They are the flags of the
// analyzer: an empty one leaves the default.
type Settings struct {
	// Schema is the path of the schema, Timeout a time such as 2m.
	Schema  string `json:"schema"`
	Timeout string `json:"timeout"`
	// Isolation is the level of the transactions, as -isolation of robust check.
	Isolation string `json:"isolation"`
	// Everywhere checks packages that are no programs, too; Autocommit says whether
	// statements outside of transactions are looked at.
	Everywhere *bool `json:"everywhere"`
	Autocommit *bool `json:"autocommit"`
	// Notes says whether what is not in one transaction is reported.
	Notes *bool `json:"notes"`
	// Suspected adds suspected findings, and FailOn "unknown" what keeps transactions
	// undecided.
	Suspected *bool  `json:"suspected"`
	FailOn    string `json:"fail-on"`
}

// New makes the plugin. An error is a fault in the settings.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, err
	}
	p := &plugin{analyzer: lint.New()}
	values := map[string]string{"schema": s.Schema, "timeout": s.Timeout, "isolation": s.Isolation, "fail-on": s.FailOn}
	for name, b := range map[string]*bool{"everywhere": s.Everywhere, "autocommit": s.Autocommit, "notes": s.Notes, "suspected": s.Suspected} {
		if b != nil {
			values[name] = strconv.FormatBool(*b)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v := values[name]; v != "" {
			if err := p.analyzer.Flags.Set(name, v); err != nil {
				return nil, fmt.Errorf("robust: %s: %w", name, err)
			}
		}
	}
	return p, nil
}

type plugin struct{ analyzer *analysis.Analyzer }

// BuildAnalyzers gives the analyzer.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{p.analyzer}, nil
}

// GetLoadMode says that types are needed.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
