package readcommitted_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestQueues: a worker takes a job that nobody has locked. It is settled where it locks the row so that
// nobody changes it, and sees of it what it has locked.
func TestQueues(t *testing.T) {
	const tables = `CREATE TABLE jobs (id int PRIMARY KEY, state text NOT NULL, worker int, tries int NOT NULL);
		CREATE TABLE stats (id int PRIMARY KEY, hits int NOT NULL);
		CREATE FUNCTION enqueue(j int) RETURNS void LANGUAGE sql AS $$ INSERT INTO jobs VALUES (j, 'new', NULL, 0) $$;
		CREATE FUNCTION finish(j int) RETURNS void LANGUAGE sql AS $$ UPDATE jobs SET state = 'done', worker = NULL WHERE id = j AND state = 'run' $$;
		CREATE FUNCTION purge(j int) RETURNS void LANGUAGE sql AS $$ DELETE FROM jobs WHERE id = j $$;
		CREATE FUNCTION total() RETURNS void LANGUAGE sql AS $$ UPDATE stats SET hits = hits + 1 WHERE id = 1 $$;
		`
	const takes = "SELECT id INTO j FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;"
	const update = "UPDATE jobs SET state = 'run', worker = w, tries = tries + 1 WHERE id = "
	for _, tc := range []struct {
		name, body, more string
		want             bool
	}{
		{"a job is taken, if there is one", takes + " IF NOT FOUND THEN RETURN NULL; END IF; " + update + "j;", "", true},
		{"a job is taken, and none is changed where there is none", takes + " " + update + "j;", "", true},
		{"FOR SHARE", strings.Replace(takes, "UPDATE", "SHARE", 1) + " " + update + "j;", "", true},
		{"FOR NO KEY UPDATE", strings.Replace(takes, "UPDATE", "NO KEY UPDATE", 1) + " " + update + "j;", "", true},
		{"FOR KEY SHARE lets the row change", strings.Replace(takes, "UPDATE", "KEY SHARE", 1) + " " + update + "j;", "", false},
		{"without a lock", strings.Replace(takes, "FOR UPDATE SKIP LOCKED", "", 1) + " " + update + "j;", "", false},
		{"it waits for the first job", strings.Replace(takes, "SKIP LOCKED", "", 1) + " " + update + "j;", "", false},
		{"a refusal instead of a wait", strings.Replace(takes, "SKIP LOCKED", "NOWAIT", 1) + " " + update + "j;", "", false},
		{"more of the row is read later", takes + " SELECT tries INTO n FROM jobs WHERE id = j; " + update + "j; RETURN n;", "", true},
		{"another row is read", takes + " SELECT tries INTO n FROM jobs WHERE id = j + 1; " + update + "j; RETURN n;", "", false},
		{"jobs are counted", takes + " SELECT count(*) INTO n FROM jobs; " + update + "j; RETURN n;", "", false},
		{"one command", update + "(SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id INTO j;", "", true},
		{"what it returns is of the newest version", update + "(SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING tries INTO n; RETURN n;", "", true},
		{"one command that deletes", "DELETE FROM jobs WHERE id = (SELECT id FROM jobs WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING tries INTO n; RETURN n;", "", true},
		{"a subquery that need not run", update + "(SELECT id FROM jobs WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED) AND tries > 3;", "", false},
		{"one command, by IN", strings.Replace(update, "id = ", "id IN ", 1) + "(SELECT id FROM jobs WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED);", "", true},
		{"several jobs", strings.Replace(update, "id = ", "id IN ", 1) + "(SELECT id FROM jobs WHERE state = 'new' LIMIT 10 FOR UPDATE SKIP LOCKED);", "", true},
		{"several jobs, FOR KEY SHARE", strings.Replace(update, "id = ", "id IN ", 1) + "(SELECT id FROM jobs WHERE state = 'new' LIMIT 10 FOR KEY SHARE SKIP LOCKED);", "", false},
		{"several jobs without a lock", strings.Replace(update, "id = ", "id IN ", 1) + "(SELECT id FROM jobs WHERE state = 'new' LIMIT 10);", "", false},
		{"several jobs that are deleted", "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'new' LIMIT 10 FOR UPDATE SKIP LOCKED);", "", true},
		{"several jobs, and others", strings.Replace(update, "id = ", "id IN ", 1) + "(SELECT id FROM jobs WHERE state = 'new' LIMIT 10 FOR UPDATE SKIP LOCKED); UPDATE jobs SET tries = 0 WHERE state = 'run';", "", false},
		{"one after the other", "FOR n IN SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED LOOP " + update + "n; END LOOP;", "", true},
		{"one after the other, FOR KEY SHARE", "FOR n IN SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 10 FOR KEY SHARE SKIP LOCKED LOOP " + update + "n; END LOOP;", "", false},
		{"one after the other, of other rows", "FOR n IN SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED LOOP " + update + "n + 1; END LOOP;", "", false},
		{"WITH", "WITH p AS (SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs SET state = 'run', worker = w FROM p WHERE jobs.id = p.id RETURNING tries INTO n; RETURN n;", "", true},
		{"WITH, FOR KEY SHARE", "WITH p AS (SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR KEY SHARE SKIP LOCKED) UPDATE jobs SET state = 'run', worker = w FROM p WHERE jobs.id = p.id;", "", false},
		{"a job that may be skipped, and is read all the same", "PERFORM 1 FROM jobs WHERE id = w FOR UPDATE SKIP LOCKED; SELECT tries INTO n FROM jobs WHERE id = w; UPDATE jobs SET tries = n + 1 WHERE id = w;", "", false},
		{"the same where it must be there", "PERFORM 1 FROM jobs WHERE id = w FOR UPDATE SKIP LOCKED; IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF; SELECT tries INTO n FROM jobs WHERE id = w; UPDATE jobs SET tries = n + 1 WHERE id = w;", "", true},
		{"the same by what was taken", "SELECT id INTO j FROM jobs WHERE id = w FOR UPDATE SKIP LOCKED; SELECT tries INTO n FROM jobs WHERE id = j; UPDATE jobs SET tries = n + 1 WHERE id = j;", "", true},
		{"another version of the job is read", "SELECT worker INTO n FROM jobs WHERE id = (SELECT id FROM jobs WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED); RETURN n;", "", false},
		{"the job is read again by what stays", "SELECT id INTO n FROM jobs WHERE id = (SELECT id FROM jobs WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED); RETURN n;", "", true},
		{"a job of which another table tells", strings.Replace(takes, "state = 'new'", "EXISTS (SELECT 1 FROM stats WHERE hits = jobs.tries)", 1) + " " + update + "j;", "", false},
		{"another table is changed by the job that is taken", takes + " IF FOUND THEN UPDATE stats SET hits = hits + 1 WHERE id = 1; " + update + "j; END IF;", "", true},
		{"two jobs", takes + " " + update + "j; SELECT id INTO n FROM jobs WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED; " + update + "n;", "", true},
		{"a job gets another key", takes + " " + update + "j;", "CREATE FUNCTION moves(j int, k int) RETURNS void LANGUAGE sql AS 'UPDATE jobs SET id = k WHERE id = j';", false},
	} {
		text := tables + "CREATE FUNCTION claim(w int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE j int; n int; BEGIN " + tc.body + " RETURN j; END $$;" + tc.more
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "app.sql", Text: text}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(tc.name, err)
		}
		s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("claim")]
		if is := s.Standing == readcommitted.Atomic; is != tc.want {
			t.Errorf("%s: %d (%s), want atomic: %v", tc.name, s.Standing, s.Reason, tc.want)
		}
	}
}

// TestQueueVerdicts: a queue is proved at READ COMMITTED and at snapshot isolation, and refuted where a worker takes
// a job that another one may have taken.
func TestQueueVerdicts(t *testing.T) {
	const good = `CREATE TABLE jobs (id int PRIMARY KEY, state text NOT NULL, worker int);
		CREATE FUNCTION enqueue(j int) RETURNS void LANGUAGE sql AS $$ INSERT INTO jobs VALUES (j, 'new', NULL) $$;
		CREATE FUNCTION claim(w int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE j int; BEGIN
			SELECT id INTO j FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
			UPDATE jobs SET state = 'run', worker = w WHERE id = j;
			RETURN j; END $$;`
	for _, tc := range []struct {
		name, text, isolation string
		want                  report.Verdict
	}{
		{"READ COMMITTED", good, "rc", robust.Robust},
		{"snapshot isolation", good, "rr", robust.Robust},
		{"no lock at READ COMMITTED", strings.Replace(good, "FOR UPDATE SKIP LOCKED", "", 1), "rc", robust.NotRobust},
		{"a lock that lets the row change", strings.Replace(good, "FOR UPDATE", "FOR KEY SHARE", 1), "rc", robust.NotRobust},
		{"no lock at snapshot isolation", strings.Replace(good, "FOR UPDATE SKIP LOCKED", "", 1), "rr", robust.Robust},
	} {
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "app.sql", Text: tc.text}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(tc.name, err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: tc.isolation}})
		if err != nil {
			t.Fatal(tc.name, err)
		}
		if rep.Verdict != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, rep.Verdict, tc.want)
		}
	}
}
