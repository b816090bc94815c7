package isolation

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/checker/anomalies"
)

// TestLattice: implication is a partial order, weaker levels come first, and a
// level excludes what the levels below it exclude.
func TestLattice(t *testing.T) {
	for _, a := range Levels() {
		if !a.Implies(a) {
			t.Errorf("%s does not imply itself", a)
		}
		for _, b := range a.Direct() {
			if b >= a {
				t.Errorf("%s comes before %s, which it implies", a, b)
			}
			for _, c := range a.Direct() {
				if b != c && b.Implies(c) {
					t.Errorf("%s implies %s by %s already", a, c, b)
				}
			}
		}
		for _, b := range Levels() {
			if a != b && a.Implies(b) && b.Implies(a) {
				t.Errorf("%s and %s are one", a, b)
			}
			for _, c := range Levels() {
				if a.Implies(b) && b.Implies(c) && !a.Implies(c) {
					t.Errorf("%s implies %s implies %s, but not %[1]s %[3]s", a, b, c)
				}
			}
			for _, x := range Anomalies() {
				if a.Implies(b) && b.Excludes(x) && !a.Excludes(x) {
					t.Errorf("%s implies %s, but does not exclude %s", a, b, x)
				}
			}
		}
		if a != SSER && !SSER.Implies(a) {
			t.Errorf("%s is not below SSER", a)
		}
		if a != PL1 && !a.Implies(PL1) {
			t.Errorf("%s does not imply PL-1", a)
		}
	}
}

// TestKnown are facts of the literature, so that a slip in the table is noticed.
func TestKnown(t *testing.T) {
	implies := map[Level][]Level{
		SER:      {SI, PC, CC, RA, RC, PL3, PL299, PL2Plus, PL2L, PL2, PL1, PLSI},
		SI:       {PC, CC, RA, RC, PL2Plus, PL2L, PL2, PLSI},
		PL3:      {PL299, PL2Plus, PLSI},
		StrongSI: {SSSI, GSI, SI, CC},
		SSSI:     {SI, GSI},
		PC:       {CC, PL2},
	}
	not := map[Level][]Level{
		PL3:   {SI, RC, GSI, SER}, // sessions do not count
		PL299: {PL2L, PL2Plus, PLSI},
		PC:    {PL2L, PL2Plus, PL299, PLSI},
		SI:    {PL299, PL3, GSI, SSSI},
		GSI:   {SI, RC},
		SER:   {SSSI, GSI, StrongSI},
		SSSI:  {StrongSI, SER, PL3},
		CC:    {PC, PL2L},
		PLSI:  {RC, PL299},
	}
	for a, all := range implies {
		for _, b := range all {
			if !a.Implies(b) {
				t.Errorf("%s does not imply %s", a, b)
			}
		}
	}
	for a, all := range not {
		for _, b := range all {
			if a.Implies(b) {
				t.Errorf("%s implies %s", a, b)
			}
		}
	}
	excludes := map[Level][]Anomaly{
		PL2:  {anomalies.CyclicVersions},
		RC:   {anomalies.G0, anomalies.G1a, anomalies.G1b, anomalies.G1c, anomalies.CyclicCO, anomalies.ThinAirRead, anomalies.NonMonoReadCO, anomalies.NotMyOwnWrite},
		RA:   {anomalies.NonMonoReadAO, anomalies.FracturedReadCO, anomalies.FracturedReadAO, anomalies.NonRepeatableRead},
		CC:   {anomalies.COConflictAO, anomalies.ConflictAO},
		PC:   {anomalies.LongFork},
		SI:   {anomalies.LostUpdate, anomalies.LongFork, anomalies.ReadSkew, anomalies.GNonadjacent, anomalies.GSingle, anomalies.GSingleProcess, anomalies.ConflictAO},
		SER:  {anomalies.WriteSkew, anomalies.ReadOnlyAnomaly, anomalies.Phantom, anomalies.G2, anomalies.G2Process},
		SSSI: {anomalies.BackwardSession},
		SSER: {anomalies.BackwardSession, anomalies.G2Realtime, anomalies.G0Realtime, anomalies.GSingleRealtime},
	}
	allows := map[Level][]Anomaly{
		PL1:  {anomalies.CyclicVersions, anomalies.G1c},
		RC:   {anomalies.NonMonoReadAO, anomalies.NonRepeatableRead, anomalies.FracturedReadCO, anomalies.LostUpdate, anomalies.ReadSkew},
		RA:   {anomalies.COConflictAO, anomalies.LostUpdate, anomalies.LongFork},
		CC:   {anomalies.LongFork, anomalies.LostUpdate},
		PC:   {anomalies.LostUpdate, anomalies.WriteSkew},
		SI:   {anomalies.WriteSkew, anomalies.ReadOnlyAnomaly, anomalies.G2Item, anomalies.Phantom, anomalies.GSingleRealtime},
		PL3:  {anomalies.G0Process, anomalies.CyclicCO, anomalies.G2Realtime},
		SER:  {anomalies.G2Realtime, anomalies.GSingleRealtime, anomalies.BackwardSession},
		GSI:  {anomalies.BackwardSession},
		SSSI: {anomalies.GSingleRealtime, anomalies.WriteSkew},
	}
	for l, all := range excludes {
		for _, x := range all {
			if !l.Excludes(x) {
				t.Errorf("%s does not exclude %s", l, x)
			}
		}
	}
	for l, all := range allows {
		for _, x := range all {
			if l.Excludes(x) {
				t.Errorf("%s excludes %s", l, x)
			}
		}
	}
}

// TestAnomalies: every anomaly is excluded somewhere, at the weakest levels only,
// and whatever excludes the general case excludes the special one.
func TestAnomalies(t *testing.T) {
	for _, a := range Anomalies() {
		by := a.ExcludedBy()
		if len(by) == 0 || !SSER.Excludes(a) {
			t.Errorf("%s is excluded by nothing, or not by SSER", a)
		}
		if w := Weakest(by); len(w) != len(by) {
			t.Errorf("%s is excluded by %s, of which some imply others", a, by)
		}
		for _, b := range Anomalies() {
			if a != b && a.Implies(b) && b.Implies(a) {
				t.Errorf("%s and %s are one", a, b)
			}
			for _, l := range Levels() {
				if a.Implies(b) && l.Excludes(b) && !l.Excludes(a) {
					t.Errorf("%s implies %s, and %s excludes only the latter", a, b, l)
				}
			}
		}
		if a.What() == "" || a.Source() == "" || a.String() == "" {
			t.Errorf("%s has no words or source", a)
		}
		back, err := ParseAnomaly(a.String())
		if err != nil || back != a {
			t.Errorf("%s is parsed as %s, %v", a, back, err)
		}
	}
	if len(Anomalies()) > 64 || len(Levels()) > 32 {
		t.Error("the sets are too small")
	}
}

// TestVocabularies: the fourteen patterns of Plume each have one anomaly, and
// names of one vocabulary become those of another.
func TestVocabularies(t *testing.T) {
	letters := map[string]Anomaly{}
	for _, a := range Anomalies() {
		letter, name, ok := strings.Cut(a.Name(TAP), " ")
		if !ok {
			continue
		}
		if old, twice := letters[letter]; twice {
			t.Errorf("the pattern %s is %s and %s", letter, old, a)
		}
		letters[letter] = a
		if got, err := ParseAnomaly(name); err != nil || got != a {
			t.Errorf("%s is parsed as %s, %v", name, got, err)
		}
	}
	for letter := 'a'; letter <= 'n'; letter++ {
		if _, ok := letters[string(letter)]; !ok {
			t.Errorf("no anomaly is the pattern %c", letter)
		}
	}
	for _, c := range []struct {
		a    Anomaly
		v    Vocabulary
		want string
	}{
		{anomalies.G1b, TAP, "f IntermediateRead"},
		{anomalies.LostUpdate, Adya, "G-single,G2-item"},
		{anomalies.WriteSkew, Adya, "G2-item"},
		{anomalies.LongFork, Adya, "G2,G2-item"},
		{anomalies.G0, Berenson, "P0 dirty write"},
		{anomalies.NonRepeatableRead, Berenson, "P2 non-repeatable read"},
		{anomalies.FracturedReadCO, TAP, "k FracturedReadCO"},
		{anomalies.CyclicVersions, Berenson, ""},
	} {
		names := c.a.Names(c.v)
		slices.Sort(names)
		if got := strings.Join(names, ","); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.a, c.v, got, c.want)
		}
	}
	if a, err := ParseAnomaly("lost update"); err != nil || a != anomalies.LostUpdate {
		t.Errorf("lost update is %s, %v", a, err)
	}
	if a, err := ParseAnomaly("G2"); err != nil || a != anomalies.G2 {
		t.Errorf("G2 is %s, %v", a, err)
	}
	if _, err := ParseAnomaly("G17"); err == nil {
		t.Error("G17 is an anomaly")
	}
}

func TestParseLevel(t *testing.T) {
	for _, l := range Levels() {
		for _, name := range append(l.Names(), l.String(), strings.ToLower(l.String())) {
			if got, err := ParseLevel(name); err != nil || got != l {
				t.Errorf("%q is %v, %v, want %s", name, got, err, l)
			}
		}
		if l.Long() == "" || l.Source() == "" || l.Why() == "" {
			t.Errorf("%s has no words or source", l)
		}
	}
	for name, want := range map[string]Level{"TCC": CC, "serializable": SER, "pl-2.99": PL299, "strict serializable": SSER, "read committed": RC, "SSSER": SER} {
		if got, err := ParseLevel(name); err != nil || got != want {
			t.Errorf("%q is %s, %v", name, got, err)
		}
	}
	if _, err := ParseLevel("PL-4"); err == nil || !strings.Contains(err.Error(), "PL-2.99") {
		t.Errorf("PL-4: %v", err)
	}
}

func TestStrongestWeakest(t *testing.T) {
	if got := Strongest([]Level{RC, RA, CC, PL2, PL299}); !slices.Equal(got, []Level{PL299, CC}) {
		t.Errorf("strongest %s", got)
	}
	if got := Weakest([]Level{SER, SI, PL3, PL299, SSER}); !slices.Equal(got, []Level{PL299, SI}) {
		t.Errorf("weakest %s", got)
	}
	for _, l := range Levels() {
		if l.NeedsRealTime() != slices.Contains([]Level{GSI, SSSI, StrongSI, SSER}, l) {
			t.Errorf("%s: needs real time %v", l, l.NeedsRealTime())
		}
		if l.NeedsSessions() != slices.Contains([]Level{RC, RA, CC, PC, SI, SER, SSSI, StrongSI, SSER}, l) {
			t.Errorf("%s: needs sessions %v", l, l.NeedsSessions())
		}
	}
}

func TestWords(t *testing.T) {
	for d := range numDependencies {
		if d.String() == "" || d.Long() == "" || d.Words() == "" {
			t.Errorf("dependency %d has no words", d)
		}
	}
	if Accept.String() != "accept" || Reject.String() != "reject" || Verdict(0) != Unknown || Unknown.String() != "unknown" {
		t.Error("verdicts are called otherwise")
	}
	if TAP.String() != "TAP" || Elle.String() != "Elle" {
		t.Error("vocabularies are called otherwise")
	}
}

// TestStrongSession: the name that several papers give to two levels means the one without
// real time, and the other one has names of its own.
func TestStrongSession(t *testing.T) {
	for name, want := range map[string]Level{
		"strong session SI": SI, "strong-session snapshot isolation": SI, "session SI": SI,
		"SSSI": SSSI, "Viper strong session SI": SSSI, "prefix-consistent SI": SSSI, "PCSI": SSSI, "strong session SER": SER, "strict serializable": SSER,
	} {
		if got, err := ParseLevel(name); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", name, got, err, want)
		}
	}
	if !SSSI.Implies(SI) || SI.Implies(SSSI) || SI.NeedsRealTime() || !SSSI.NeedsRealTime() {
		t.Error("only SSSI is about real time")
	}
}
