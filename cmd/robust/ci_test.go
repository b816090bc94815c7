package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestCITemplates: the action and the template are YAML with the parts that their services
// ask for, and the action runs scripts that are there.
func TestCITemplates(t *testing.T) {
	var action struct {
		Name, Description string
		Inputs            map[string]struct{ Description, Default string }
		Runs              struct {
			Using string
			Steps []struct{ Shell, Run string }
		}
	}
	read(t, "github/action.yml", &action)
	if action.Name == "" || action.Runs.Using != "composite" || len(action.Runs.Steps) != 2 || action.Inputs["inputs"].Default != "./..." {
		t.Errorf("%+v", action)
	}
	for i, script := range []string{"install.sh", "check.sh"} {
		info, err := os.Stat(filepath.Join("../../ci/github", script))
		if err != nil || info.Mode()&0o111 == 0 || action.Runs.Steps[i].Run != `"$GITHUB_ACTION_PATH/`+script+`"` || action.Runs.Steps[i].Shell != "bash" {
			t.Errorf("%s: %v, %+v", script, err, action.Runs.Steps[i])
		}
	}
	var gitlab struct {
		Variables map[string]string
		Robust    struct {
			Script    []string
			Artifacts struct{ Paths []string }
		}
	}
	read(t, "gitlab/robust.yml", &gitlab)
	if gitlab.Variables["ROBUST_INPUTS"] != "./..." || len(gitlab.Robust.Script) != 3 || len(gitlab.Robust.Artifacts.Paths) != 2 {
		t.Errorf("%+v", gitlab)
	}
}

func read(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../ci", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
