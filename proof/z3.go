package proof

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// findZ3 gives the path of the program.
func findZ3(name string) (string, error) {
	if name == "" {
		name = "z3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", ErrNoZ3
	}
	return path, nil
}

// runZ3 gives what Z3 says of a script: unsat, or something else.
func runZ3(ctx context.Context, z3, file string, timeout time.Duration) (string, error) {
	args := []string{"-smt2"}
	if timeout > 0 {
		args = append(args, fmt.Sprintf("-T:%d", max(1, int(timeout.Round(time.Second)/time.Second))))
	}
	// Z3 takes a name with a dash for an option.
	cmd := exec.CommandContext(ctx, z3, append(args, "-file:"+file)...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	// Z3 ends with an exit code for what it also prints.
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", err
	}
	return strings.Join(strings.Fields(string(out)), " "), nil
}
