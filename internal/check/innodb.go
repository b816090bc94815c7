package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/report"
)

// guardedInnoDB is onInnoDB. If it ends in a fault of this program, only confirmed findings count.
func (c *check) guardedInnoDB() (err error) {
	if c.guarded("the check of the levels of InnoDB", func() { err = c.onInnoDB() }) {
		return err
	}
	if !c.foundBefore() {
		c.leaveOpen()
	}
	return nil
}

// onInnoDB decides about the program on a database with InnoDB, with each transaction at its level.
// It is robust if each does what it would do alone at its commit, or sees one snapshot
// (docs/soundness.md, 9.6), or if the database is at snapshot isolation, and it is proved there. Else
// executions are searched in which others run between two commands of a transaction.
func (c *check) onInnoDB() error {
	if err := c.returning(); err != nil {
		return err
	}
	c.title()
	names := c.levelNames()
	settled := readcommitted.SettleInnoDB(c.p, c.opt.Engine, names)
	c.standings(settled)
	scripts := c.opt.Keep != nil && c.atRepeatableRead() // which a proof at snapshot isolation has
	if !scripts && readcommitted.InOrder(c.p, settled) {
		c.decide(report.Robust)
		c.rep.Proof = &report.Proof{Method: "every execution is the serial one in the order of the commits: each transaction locks what it sees and others may change, or sees one snapshot", Facts: []string{}}
		return nil
	}
	whole := c.ctx
	if c.atRepeatableRead() {
		ctx, cancel := c.share(0.5)
		c.ctx = ctx
		err := c.atSnapshot()
		c.ctx = whole
		cancel()
		if err != nil || c.rep.Verdict == report.Robust {
			c.proveLevels()
			return err
		}
	}
	interrupts := func(t *ir.Txn) bool { return settled[t].Standing != readcommitted.Atomic }
	found, searched, err := c.interrupted(c.ctx, readcommitted.Query{Levels: names, Interrupts: interrupts})
	if err != nil && c.ctx.Err() == nil {
		return err
	}
	c.merge(c.atOthers(found, nil))
	if len(c.rep.Confirmed()) > 0 {
		c.rep.Open = nil
		c.decide(report.NotRobust)
		return nil
	}
	c.leaveInnoDBOpen(settled, searched)
	return nil
}

var (
	constants = regexp.MustCompile("'[^']*'|\"[^\"]*\"|`[^`]*`")
	returning = regexp.MustCompile(`(?is)^\s*(insert|replace|delete)\b.*[\s)]returning\s+[\w*(]`)
)

// returning is the fault of a script that asks for the rows that it writes where the database has no RETURNING.
func (c *check) returning() error {
	if !c.opt.Engine.NoReturning {
		return nil
	}
	var err *ir.Error
	for _, t := range c.p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			send, is := s.(*ir.Send)
			if is && t.Script && err == nil && returning.MatchString(constants.ReplaceAllString(strings.Join(send.Text, "?"), "''")) {
				err = ir.Errorf(send.Pos, "a statement that writes must not have RETURNING on MySQL, but has; select the rows, or check for MariaDB (-engine mariadb or mariadb-off)")
			}
		})
	}
	if err == nil {
		return nil
	}
	return err
}

// atRepeatableRead reports whether the database is at snapshot isolation where all
// transactions run at REPEATABLE READ, as they do.
func (c *check) atRepeatableRead() bool {
	if c.opt.Engine.Weaker != "" {
		return false
	}
	return !slices.ContainsFunc(c.p.Txns, func(t *ir.Txn) bool {
		return c.levels != nil && !c.at(levels.RepeatableRead)(t)
	})
}

// proveLevels records that all transactions are proved at their levels.
func (c *check) proveLevels() {
	for i := range c.rep.Levels {
		l := &c.rep.Levels[i]
		l.Proved, l.Reason, l.Position = true, "", nil
	}
}

// leaveInnoDBOpen records that nothing is decided at the levels of the transactions.
func (c *check) leaveInnoDBOpen(settled map[*ir.Txn]readcommitted.Settled, searched *report.ReadCommitted) {
	before := c.rep.Open
	c.leaveOpen()
	if len(c.rep.Findings) > 0 {
		return
	}
	open := c.rep.Open
	if before != nil {
		open.Cycles, open.Settle = before.Cycles, before.Settle
	}
	if c.ctx.Err() != nil {
		return
	}
	open.Reason = "no execution in which others run between two commands of a transaction shows an anomaly, which proves nothing"
	if searched != nil {
		open.Reason = fmt.Sprintf("%s (searched: %d)", open.Reason, searched.Pairs)
	}
	if before != nil {
		open.Reason += "; at snapshot isolation: " + before.Reason
	}
	if why := unsettledText(c.p, settled); why != "" {
		open.Reason += "; not proved: " + why
	}
	if searched != nil && len(searched.LeftOut) > 0 {
		open.Reason += "; not searched: " + leftOutText(searched.LeftOut)
	}
	open.Settle = append(open.Settle, "a lock where a transaction reads what it decides by (SELECT … FOR UPDATE), or one UPDATE that computes from the current row")
}

// maxTold bounds how many reasons an open verdict names.
const maxTold = 4

// unsettledText says which transactions are not settled, and why.
func unsettledText(p *ir.Program, settled map[*ir.Txn]readcommitted.Settled) string {
	var out []string
	for _, t := range p.Txns {
		if s := settled[t]; s.Standing == readcommitted.Unsettled {
			out = append(out, fmt.Sprintf("%s (%s: %s)", t.Name, s.Pos, s.Reason))
		}
	}
	return shortened(out)
}

// leftOutText says what was not searched.
func leftOutText(list []report.Gap) string {
	var out []string
	for _, g := range list {
		out = append(out, strings.Join(append(slices.Clone(g.Transactions), g.Reason), ", "))
	}
	return shortened(out)
}

// shortened joins texts, of which those beyond some are only counted.
func shortened(list []string) string {
	if rest := len(list) - maxTold; rest > 0 {
		list = append(list[:maxTold:maxTold], fmt.Sprintf("%d more", rest))
	}
	return strings.Join(list, "; ")
}
