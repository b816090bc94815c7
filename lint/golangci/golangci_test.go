package golangci_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis/analysistest"

	_ "github.com/txrobust/robust/lint/golangci"
)

// TestPlugin gets the plugin as golangci-lint does, and runs what it gives.
func TestPlugin(t *testing.T) {
	build, err := register.GetPlugin("robust")
	if err != nil {
		t.Fatal(err)
	}
	for _, settings := range []any{nil, map[string]any{}, map[string]any{"timeout": "1m", "everywhere": true, "schema": "", "autocommit": true, "suspected": false, "fail-on": "finding"}} {
		p, err := build(settings)
		if err != nil {
			t.Fatalf("%v: %v", settings, err)
		}
		if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
			t.Errorf("the load mode is %s", mode)
		}
		list, err := p.BuildAnalyzers()
		if err != nil || len(list) != 1 {
			t.Fatalf("%v: %d analyzers (%v)", settings, len(list), err)
		}
		if settings == nil || len(settings.(map[string]any)) == 0 {
			continue
		}
		dir, err := filepath.Abs("../testdata")
		if err != nil {
			t.Fatal(err)
		}
		analysistest.Run(t, dir, list[0], "./src/absent", "./src/absent_repaired")
	}
	for fault, settings := range map[string]any{
		"finding or":   map[string]any{"fail-on": "never"},
		"timeout":      map[string]any{"timeout": "soon"},
		"unknown":      map[string]any{"levels": "rc"},
		"cannot unmar": map[string]any{"everywhere": "yes"},
	} {
		if _, err := build(settings); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%v: %v", settings, err)
		}
	}
}
