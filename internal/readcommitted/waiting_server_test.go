package readcommitted_test

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// sql is the command as a client sends it that has read last what the session has.
func (c command) sql(s *session) string {
	t, k, a := fmt.Sprintf("t%d", c.tab), fmt.Sprint(c.id), "NULL"
	if s.last != nil {
		a = fmt.Sprint(*s.last)
	}
	if c.last {
		k = a
	}
	bump := ""
	if c.bump {
		bump = ", w = w + 1"
	}
	switch c.kind {
	case "number":
		if c.last {
			return "SELECT pg_advisory_xact_lock(" + a + ") IS NULL"
		}
		return fmt.Sprintf("SELECT pg_advisory_xact_lock(%d) IS NULL", c.by)
	case "shared":
		return fmt.Sprintf("SELECT pg_advisory_xact_lock_shared(%d) IS NULL", c.by)
	case "table":
		return "LOCK TABLE " + t + " IN " + tableLocks[c.by%3] + " MODE"
	case "skip key":
		return fmt.Sprintf("SELECT id FROM %s WHERE id = %d FOR UPDATE SKIP LOCKED", t, c.id)
	case "skip", "skip share":
		return fmt.Sprintf("SELECT id FROM %s WHERE v = %d ORDER BY id LIMIT 1 FOR %s SKIP LOCKED", t, c.by, map[bool]string{true: "SHARE", false: "UPDATE"}[c.kind != "skip"])
	case "batch":
		return fmt.Sprintf("UPDATE %s SET v = v + 1%s WHERE id IN (SELECT id FROM %[1]s WHERE v = %[3]d LIMIT 2 FOR UPDATE SKIP LOCKED)", t, bump, c.by)
	case "see", "glance":
		return "SELECT v, w FROM " + t + " WHERE id = " + k
	case "confirm", "retry":
		b := "NULL"
		if s.version != nil {
			b = fmt.Sprint(*s.version)
		}
		return fmt.Sprintf("UPDATE %s SET v = %s + %d, w = w + 1 WHERE id = %s AND w = %s", t, a, c.by, k, b)
	case "none", "some":
		return fmt.Sprintf("SELECT EXISTS (SELECT FROM %s WHERE v = %d)", t, c.by)
	case "sum":
		return fmt.Sprintf("SELECT coalesce(sum(w), 0) FROM %s WHERE v = %d", t, c.by)
	case "bump":
		return fmt.Sprintf("UPDATE %s SET w = w + 1 WHERE id = %s", t, k)
	case "lock some", "share some":
		return fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s WHERE v = %d ORDER BY id FOR %s) x", t, c.by, map[bool]string{true: "UPDATE", false: "SHARE"}[c.kind == "lock some"])
	case "countv":
		return fmt.Sprintf("SELECT count(*) FROM %s WHERE v = %d", t, c.by)
	case "enough":
		return "SELECT 1"
	case "read", "absent", "peek", "probe", "quit", "unless", "fetch":
		return "SELECT v FROM " + t + " WHERE id = " + k
	case "lock":
		return "SELECT v FROM " + t + " WHERE id = " + k + " FOR UPDATE"
	case "share":
		return "SELECT v FROM " + t + " WHERE id = " + k + " FOR SHARE"
	case "count":
		return "SELECT count(*) FROM " + t
	case "set":
		return fmt.Sprintf("UPDATE %s SET v = %s + %d%s WHERE id = %s", t, a, c.by, bump, k)
	case "add":
		return fmt.Sprintf("UPDATE %s SET v = v + %d%s WHERE id = %s", t, c.by, bump, k)
	case "marked":
		return fmt.Sprintf("UPDATE %s SET v = v + %d%s WHERE id = %s AND w = 1", t, c.by, bump, k)
	case "take":
		return fmt.Sprintf("UPDATE %s SET v = v - 1%s WHERE id = %s AND v > 0", t, bump, k)
	case "grab":
		return fmt.Sprintf("UPDATE %s SET v = v - %d WHERE id = %s AND v >= %[2]d", t, c.by, k)
	case "touch":
		return "UPDATE " + t + " SET w = w WHERE id = " + k
	case "all":
		return "UPDATE " + t + " SET v = v + 1" + bump
	case "insert":
		return fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, 1)", t, c.id, c.by)
	case "upsert":
		return fmt.Sprintf("INSERT INTO %s AS o VALUES (%d, %d, 1) ON CONFLICT (id) DO UPDATE SET v = o.v + 1%s", t, c.id, c.by, strings.Replace(bump, "= w", "= o.w", 1))
	case "nothing", "put", "fill":
		return fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, 1) ON CONFLICT (id) DO NOTHING", t, c.id, c.by)
	case "delete":
		return fmt.Sprintf("DELETE FROM %s WHERE id = %s", t, k)
	}
	panic(c.kind)
}

// played is a schedule of two sessions, with what each step is to give.
type played struct {
	steps []pgtest.Step
	want  []string
}

func (p *played) add(session int, sql, want string) {
	p.steps, p.want = append(p.steps, pgtest.Step{Session: string(rune('A' + session)), SQL: sql}), append(p.want, want)
}

// play runs two sessions in a random order. It is nil where they block each other.
func (w *world) play(r *rand.Rand) *played {
	p := &played{}
	waiting := map[int]int{} // the step in which a session waits
	over := func(i int) {
		if s := w.sessions[i]; s.failed {
			p.add(i, "ROLLBACK", "ROLLBACK")
		}
	}
	for i := range w.sessions {
		p.add(i, "BEGIN", "BEGIN")
	}
	for {
		var ready []int
		for i, s := range w.sessions {
			if _, waits := waiting[i]; !s.ended && !waits {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 && len(waiting) > 0 {
			return nil
		}
		if len(ready) == 0 {
			return p
		}
		i := ready[r.Intn(len(ready))]
		s := w.sessions[i]
		switch {
		case s.pc == len(s.list):
			p.add(i, "COMMIT", "COMMIT")
			w.step(i)
		case s.list[s.pc].passes(s):
			w.step(i)
		default:
			p.add(i, s.list[s.pc].sql(s), "")
			at := len(p.want) - 1
			if w.step(i); s.waits {
				waiting[i] = at
			} else {
				p.want[at] = s.reply
			}
			over(i)
		}
		for k, at := range waiting {
			if w.step(k); !w.sessions[k].waits {
				p.want[at] = "blocks, " + w.sessions[k].reply
				delete(waiting, k)
				over(k)
			}
		}
	}
}

// TestWaitsOnServer: sessions that wait for each other do on a server what they do in the
// code that judges what is settled, statement by statement.
func TestWaitsOnServer(t *testing.T) {
	r := onServer.Source(t)
	srv := pgtest.Open(t)
	dsn := srv.Database(t)
	srv.Exec(t, dsn, "CREATE TABLE t0 (id int PRIMARY KEY, v int NOT NULL, w int NOT NULL)", "CREATE TABLE t1 (id int PRIMARY KEY, v int NOT NULL, w int NOT NULL)")
	conn := srv.Conn(t, dsn)
	ran, waited := 0, 0
	for range 5 * onServer.Runs() {
		kinds := randomHabits(r)
		start := randomRows(r)
		w := &world{states: []rows{start}, sessions: []*session{newSession(randomCommands(r, kinds)), newSession(randomCommands(r, kinds))}}
		p := w.play(r)
		if p == nil {
			continue
		}
		setup := "TRUNCATE t0, t1;"
		for _, at := range []place{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
			v, there := start[at]
			if !there {
				continue
			}
			setup += fmt.Sprintf("INSERT INTO t%d VALUES (%d, %d, %d);", at.tab, at.id, v.v, v.w)
		}
		if _, err := conn.Exec(t.Context(), setup); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), pgtest.Deadline)
		out, err := pgtest.Run(ctx, dsn, pgtest.Schedule{Level: pgtest.ReadCommitted, Steps: p.steps})
		cancel()
		if err != nil {
			t.Fatalf("%v: %v", p.steps, err)
		}
		log := ""
		for i, res := range out.Results {
			log += fmt.Sprintf("%s: %s -> %s, want %s\n", res.Session, res.SQL, res, p.want[i])
		}
		if slices.ContainsFunc(out.Results, func(res pgtest.Result) bool { return res.Blocked }) {
			waited++
		}
		ran++
		for i, res := range out.Results {
			if res.String() != p.want[i] {
				t.Fatalf("from %s\n%s", start.values(), log)
			}
		}
	}
	t.Logf("%d schedules, %d of them with a wait", ran, waited)
	if waited == 0 {
		t.Error("the test says little")
	}
}
