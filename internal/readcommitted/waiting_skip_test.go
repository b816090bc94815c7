package readcommitted_test

import (
	"fmt"
	"slices"
)

// skip takes a row that nobody else has locked. Who replays may take none, whatever is there.
func (w *world) skip(s *session, c command) {
	exclusive, take := c.kind != "skip share", -1
	for _, id := range []int{0, 1} {
		if w.free(s, c, place{c.tab, id}, exclusive) && (take < 0 || s.replays && id == s.picks[0]) {
			take = id
		}
	}
	if s.replays {
		if s.failed = s.picks[0] >= 0 && s.picks[0] != take; s.failed {
			return
		}
		take, s.picks = s.picks[0], s.picks[1:]
	} else {
		s.picks = append(slices.Clone(s.picks), take)
	}
	if take < 0 {
		s.show(nil)
		s.missing(c)
		return
	}
	p := place{c.tab, take}
	s.locks[p] = s.locks[p] || exclusive
	s.show(&take)
}

// free reports whether a row that SKIP LOCKED looks for is one that it need not skip.
func (w *world) free(s *session, c command, p place, exclusive bool) bool {
	seen, was := s.seen[p]
	now, there := s.view(w.now())[p]
	matches := func(v version) bool {
		return c.kind == "skip key" && p.id == c.id || c.kind != "skip key" && v.v == c.by
	}
	return was && matches(seen) && there && now.row == seen.row && matches(now) && !w.held(s, p, exclusive)
}

// batch changes the rows that nobody else has locked.
func (w *world) batch(s *session, c command) {
	take := 0
	for id := range 2 {
		if w.free(s, c, place{c.tab, id}, true) {
			take |= 1 << id
		}
	}
	if s.replays {
		if s.failed = s.picks[0] < 0 || s.picks[0]&^take != 0; s.failed {
			return
		}
		take, s.picks = s.picks[0], s.picks[1:]
	} else {
		s.picks = append(slices.Clone(s.picks), take)
	}
	for id := range 2 {
		if p := (place{c.tab, id}); take&(1<<id) != 0 {
			v := s.view(w.now())[p]
			s.locks[p], s.changed = true, s.changed+1
			if s.writes[p] = (&version{v.row, v.v + 1, v.w}); c.bump {
				s.writes[p].w++
			}
		}
	}
	s.reply = fmt.Sprintf("UPDATE %d", s.changed)
}
