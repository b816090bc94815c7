package outside_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestVSCode runs the tests of the extension for VS Code, which drive the server with the
// library of Microsoft for clients, in a copy of its folder.
func TestVSCode(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm: the extension for VS Code is not tested")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "vscode"), os.DirFS("../../editors/vscode")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "robust")
	run := func(dir string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ROBUST="+program)
		return cmd.CombinedOutput()
	}
	if out, err := run("../..", "go", "build", "-o", program, "./cmd/robust"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run(filepath.Join(dir, "vscode"), npm, "install", "--no-fund", "--no-audit"); err != nil {
		t.Skipf("npm does not install the library for clients: the extension for VS Code is not tested: %v\n%s", err, out)
	}
	if out, err := run(filepath.Join(dir, "vscode"), npm, "test"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
