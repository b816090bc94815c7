package engine

import "testing"

func TestProfiles(t *testing.T) {
	for _, name := range Names() {
		p := ByName(name)
		if p == nil || p.Name != name {
			t.Fatalf("ByName(%q) = %v", name, p)
		}
		seen := map[string]bool{}
		for _, f := range p.Facts {
			if seen[f.ID] || f.Text == "" || f.Model == "" || f.Test == "" {
				t.Errorf("%s: fact %q is incomplete or there twice", name, f.ID)
			}
			seen[f.ID] = true
		}
	}
	if ByName("nosuch") != nil {
		t.Error("an unknown name has a profile")
	}
}
