package readcommitted_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// TestLocksInCommands: inside of one command, a lock guards what a later statement of the same run of a VOLATILE function
// reads, and nothing that may be read before.
func TestLocksInCommands(t *testing.T) {
	const tables = `CREATE TABLE rooms (id int PRIMARY KEY, capacity int NOT NULL);
		CREATE TABLE guests (id bigserial PRIMARY KEY, room int NOT NULL REFERENCES rooms);
		CREATE TABLE seen (a bigint NOT NULL, b bigint NOT NULL);
		CREATE FUNCTION number(r int) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN SELECT count(*) INTO n FROM guests WHERE room = r; RETURN n; END $$;
		CREATE FUNCTION locks(r int) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN SELECT capacity INTO n FROM rooms WHERE id = r FOR UPDATE; RETURN n; END $$;
		`
	const fires = "CREATE TRIGGER limits BEFORE INSERT ON guests FOR EACH ROW EXECUTE FUNCTION limits(); CREATE FUNCTION x(r int) RETURNS void LANGUAGE sql AS 'INSERT INTO guests (room) VALUES (r)';"
	trigger := func(declare, body string) string {
		return "CREATE FUNCTION limits() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE c bigint; k bigint;" + declare + " BEGIN " + body + " IF k >= c THEN RAISE EXCEPTION 'full'; END IF; RETURN NEW; END $$;" + fires
	}
	const lock, count = "SELECT capacity INTO c FROM rooms WHERE id = NEW.room FOR UPDATE;", "SELECT count(*) INTO k FROM guests WHERE room = NEW.room;"
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"a trigger locks, then counts", trigger("", lock+count), true},
		{"a trigger counts, then locks", trigger("", count+lock), false},
		{"a trigger locks on one path", trigger("", "IF NEW.id > 3 THEN "+lock+" END IF;"+count), false},
		{"a trigger locks another row", trigger("", strings.Replace(lock, "NEW.room", "NEW.room + 1", 1)+count), false},
		{"a trigger calls what locks", trigger("", "c := locks(NEW.room);"+count), true},
		{"a trigger calls what counts", trigger("", lock+"k := number(NEW.room);"), true},
		{"a trigger calls both", trigger("", "c := locks(NEW.room); k := number(NEW.room);"), true},
		{"a trigger calls both, the wrong way round", trigger("", "k := number(NEW.room); c := locks(NEW.room);"), false},
		{"a trigger calls both in one statement", trigger("", "c := locks(NEW.room) - number(NEW.room); k := 0;"), false},
		{"what is called sees the snapshot of the command", strings.Replace(trigger("", lock+"k := number(NEW.room);"), "CREATE FUNCTION limits", "ALTER FUNCTION number(int) STABLE; CREATE FUNCTION limits", 1), true},
		{"a STABLE trigger", strings.Replace(trigger("", "c := locks(NEW.room);"+count), "CREATE TRIGGER", "ALTER FUNCTION limits() STABLE; CREATE TRIGGER", 1), false},
		{"two calls in one query", "CREATE FUNCTION x(r int) RETURNS void LANGUAGE sql AS 'INSERT INTO seen (a, b) VALUES (locks(r), number(r)); INSERT INTO guests (room) VALUES (r)';", false},
	} {
		p := program(t, tc.name, tables+tc.text, "x")
		wantAtomic(t, tc.name, p, "x", tc.want)
	}
}

// TestTriggerAfterWait: a statement of a trigger that follows a wait for a lock, in the same command, sees what was committed
// meanwhile.
func TestTriggerAfterWait(t *testing.T) {
	s := pgtest.Open(t)
	dsn := s.Database(t)
	s.Exec(t, dsn, "CREATE TABLE rooms (id int PRIMARY KEY, n int NOT NULL)", "CREATE TABLE guests (room int NOT NULL)", "INSERT INTO rooms VALUES (1, 0)",
		`CREATE FUNCTION limits() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE k int; BEGIN
			PERFORM 1 FROM rooms WHERE id = NEW.room FOR UPDATE;
			SELECT count(*) INTO k FROM guests;
			NEW.room := k; RETURN NEW; END $$`,
		"CREATE TRIGGER limits BEFORE INSERT ON guests FOR EACH ROW EXECUTE FUNCTION limits()")
	pgtest.Play(t, dsn, pgtest.ReadCommitted, `
		B: BEGIN
		B: UPDATE rooms SET n = 1 WHERE id = 1
		B: INSERT INTO guests VALUES (1)
		A: INSERT INTO guests VALUES (1) RETURNING room -> blocks, 1
		B: COMMIT`)
}
