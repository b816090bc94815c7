package ir

// What a text may have at most, so that none can exhaust stack or memory. The
// programs of package sqlmodel stay below.
const (
	// maxText is the bytes of a program.
	maxText = 8 << 20
	// maxDepth is the nesting of expressions, of parentheses and operators
	// together; maxBlocks that of statements; maxRows the row variables in scope.
	maxDepth  = 20000
	maxBlocks = 2000
	maxRows   = 500
	// maxChain is the operators that follow one another without parentheses.
	maxChain = 20000
	// maxLocals and maxLabels are those of a transaction.
	maxLocals = 20000
	maxLabels = 2000
)

// deeper is called where an expression goes one step further in.
func (p *parser) deeper() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok().pos, "the expression is nested too deep")
	}
}

// inside is the same for blocks of statements.
func (p *parser) inside() {
	if p.blocks++; p.blocks > maxBlocks {
		p.fail(p.tok().pos, "statements are nested more than %d deep", maxBlocks)
	}
}
