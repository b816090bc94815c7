package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// unsat is all that Z3 prints for a script that is refuted.
const unsat = "unsat\n"

// runZ3 gives what Z3 prints for a script.
func runZ3(ctx context.Context, z3 string, script []byte, timeout time.Duration) (string, error) {
	args := []string{"-smt2"}
	if timeout > 0 {
		args = append(args, fmt.Sprintf("-T:%d", max(1, int(timeout.Round(time.Second)/time.Second))))
	}
	cmd := exec.CommandContext(ctx, z3, append(args, "-in")...)
	// It reads what was compared, and not a file that may be another one by now.
	cmd.Stdin = bytes.NewReader(script)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	// Z3 ends with an exit code for what it also prints.
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", err
	}
	if err != nil && string(out) == unsat {
		return "unsat, and fails: " + err.Error(), nil
	}
	return string(out), nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
