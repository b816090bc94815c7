package robust_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestKept: a variable, field or result rounds what it takes, so that it may differ from
// what was given: the branch behind that is reached. Where the type is that of the
// parameter, it is not, and the program is proved.
func TestKept(t *testing.T) {
	const frame = `CREATE TABLE t (id int PRIMARY KEY, on_ boolean NOT NULL);
CREATE TABLE u (x numeric(5,2), at timestamp(0));
CREATE DOMAIN price AS numeric(5,2);
CREATE FUNCTION priced(p numeric) RETURNS price LANGUAGE sql AS $$ SELECT p $$;
CREATE FUNCTION narrow(p numeric) RETURNS numeric(5,2) LANGUAGE sql AS $$ SELECT p $$;
CREATE FUNCTION off(p_id int, p %s) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v %s; r u;
BEGIN
  %s;
  IF p IS NULL OR v = p THEN RETURN false; END IF;
  IF (SELECT count(*) FROM t WHERE on_) < 2 THEN RETURN false; END IF;
  UPDATE t SET on_ = false WHERE id = p_id;
  RETURN true;
END $$;`
	for _, tc := range []struct {
		param, local, set string
		same              bool
	}{
		{"timestamp", "timestamp(0)", "v := p", false},
		{"timestamp", "timestamp", "v := p", true},
		{"timestamptz", "timestamptz(3)", "v := p", false},
		{"time", "time(0)", "v := p", false},
		{"interval", "interval(0)", "v := p", false},
		{"interval", "interval day", "v := p", false},
		{"numeric", "numeric(5,2)", "v := p", false},
		{"numeric", "numeric(5,-2)", "v := p", false},
		{"numeric", "numeric", "v := p", true},
		{"numeric", "numeric(5,2)", "SELECT p INTO v", false},
		{"numeric", "u.x%TYPE", "v := p", false},
		{"numeric", "price", "v := p", false},
		{"numeric", "numeric", "r.x := p; v := r.x", false},
		{"numeric", "numeric", "v := priced(p)", false},
		{"numeric", "numeric", "v := narrow(p)", true}, // CREATE FUNCTION discards modifiers
		{"numeric(5,2)", "numeric(5,2)", "v := p", false},
		{"int", "smallint", "v := p", true}, // what does not fit is an error
		{"float8", "real", "v := p", false},
	} {
		t.Run(tc.param+" "+tc.local+" "+tc.set, func(t *testing.T) {
			if same := provedOf(t, fmt.Sprintf(frame, tc.param, tc.local, tc.set), 20, "off"); same != tc.same {
				t.Errorf("proved: %t", same)
			}
		})
	}
}

// TestCanonicalTexts: an execution is found where keys come as texts that are converted;
// the twin locks what it sums up.
func TestCanonicalTexts(t *testing.T) {
	const frame = `CREATE TABLE wallet (id uuid PRIMARY KEY, owner uuid NOT NULL, cents bigint NOT NULL);
CREATE FUNCTION spend(p_wallet text, p_owner text, p_cents bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v_total bigint;
BEGIN
  %s
  SELECT coalesce(sum(cents), 0) INTO v_total FROM wallet WHERE owner = p_owner::uuid;
  IF v_total < p_cents THEN RETURN false; END IF;
  UPDATE wallet SET cents = cents - p_cents WHERE id = p_wallet::uuid AND owner = p_owner::uuid;
  RETURN FOUND;
END $$;`
	for lock, want := range map[string]report.Verdict{"": robust.NotRobust, "PERFORM 1 FROM wallet WHERE owner = p_owner::uuid FOR UPDATE;": robust.Robust} {
		rep := reportOf(t, fmt.Sprintf(frame, lock), robust.Options{})
		if rep.Verdict != want {
			t.Errorf("%q: %s, want %s", lock, rep.Verdict, want)
		}
	}
}
