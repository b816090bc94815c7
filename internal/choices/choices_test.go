package choices

import (
	"fmt"
	"slices"
	"testing"
)

// TestNext: each sequence of choices comes once, where how many there are depends on the ones before.
func TestNext(t *testing.T) {
	var got []string
	var s Script
	for more := true; more; more = s.Next() {
		a := s.Choose(3)
		if a == 1 {
			got = append(got, fmt.Sprint(a))
			continue
		}
		got = append(got, fmt.Sprint(a, s.Choose(2)))
	}
	want := []string{"0 0", "0 1", "1", "2 0", "2 1"}
	if !slices.Equal(got, want) {
		t.Errorf("the choices are %q, and should be %q", got, want)
	}
	s = Script{}
	if first := s.Choose(2); first != 0 {
		t.Errorf("the first choice is %d, and should be 0", first)
	}
	s.Next()
	s.Choose(2)
	s.Restart()
	if again := s.Choose(2); again != 1 {
		t.Errorf("after a restart the choice is %d, and should be 1 as before", again)
	}
}
