package gogen

import (
	"fmt"
	"strconv"
)

// literal gives a small integer.
func (g *gen) literal() string {
	if g.chance(12) {
		return strconv.Itoa(g.r.IntN(400) - 130)
	}
	return strconv.Itoa(g.r.IntN(8) - 2)
}

// intVar gives an integer that is no constant.
func (g *gen) intVar() string {
	if v, ok := g.some(tInt, true); ok {
		return v.name
	}
	return "len(ctx.Err().Error())" // no function is without integers
}

// int gives an expression of type int, of at most some depth.
func (g *gen) int(deep int) string {
	if deep <= 0 || g.chance(35) {
		if g.chance(30) {
			return g.literal()
		}
		return g.intVar()
	}
	sub := func() string { return g.int(deep - 1) }
	switch g.r.IntN(27) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s + %s)", sub(), sub())
	case 3, 4:
		return fmt.Sprintf("(%s - %s)", sub(), sub())
	case 5:
		return fmt.Sprintf("(%s * %s)", g.intVar(), g.literal())
	case 6:
		return fmt.Sprintf("(%s / %s)", g.intVar(), g.oneOf("2", "3", "-2", g.intVar()))
	case 7, 8:
		return fmt.Sprintf("(%s %% %s)", g.intVar(), g.oneOf("2", "3", "4", "-3", g.intVar()))
	case 9:
		return "-" + g.intVar()
	case 10:
		return fmt.Sprintf("%s(%s)", g.oneOf("twice", "sign", "-twice"), sub())
	case 11:
		return fmt.Sprintf("clamp(%s, -2, %s)", sub(), g.oneOf("3", "5", g.intVar()))
	case 12:
		return fmt.Sprintf("%s(%s, %s)", g.oneOf("min", "max"), g.intVar(), sub())
	case 13:
		return fmt.Sprintf("pick(%s, %s, %s)", g.bool(deep-1), sub(), sub())
	case 14:
		return fmt.Sprintf("int(%s(%s))", g.oneOf("int8", "uint8", "uint16", "int32", "int64", "uint32", "uint64"), g.intVar())
	case 15:
		t := g.oneOf("int8", "uint8", "int16", "uint32", "uint", "int64")
		return fmt.Sprintf("int(%s(%s) %s %s(%s))", t, g.intVar(), g.oneOf("+", "-", "*"), t, g.intVar())
	case 16:
		return fmt.Sprintf("(%s %s %s)", g.intVar(), g.oneOf("&", "|", "^", "&^"), g.oneOf("1", "3", "7", g.intVar()))
	case 17:
		return fmt.Sprintf("(%s %s (%s & 3))", g.intVar(), g.oneOf("<<", ">>"), g.intVar())
	case 18:
		return fmt.Sprintf("len(%s)", g.text(deep-1))
	case 19:
		return g.indexed(deep)
	case 20:
		return g.field()
	case 21:
		return g.pointed()
	case 22:
		if g.chance(75) {
			return fmt.Sprintf("int(uint8(%s))", g.intVar())
		}
		return fmt.Sprintf("total(%s, %s)", sub(), sub())
	case 23:
		if v, ok := g.some(tMap, true); ok {
			return g.oneOf(fmt.Sprintf("%s[%s]", v.name, g.text(0)), fmt.Sprintf("len(%s)", v.name))
		}
		if g.chance(70) {
			return g.intVar()
		}
		return fmt.Sprintf("map[string]int{\"a\": %s, \"b\": 2}[%s]", g.literal(), g.text(0))
	case 24:
		if g.chance(70) {
			return g.literal()
		}
		return fmt.Sprintf("[]int{%s, %s, 4}[%s]", sub(), sub(), g.oneOf("0", "1", g.intVar()+" & 1", g.intVar()))
	case 25:
		if g.chance(70) {
			return g.intVar()
		}
		return fmt.Sprintf("map[int]int{0: %s, 1: %s, 3: 5}[%s]", sub(), g.literal(), g.intVar())
	}
	return "+" + g.intVar()
}

// indexed is an element, or the length, of a slice or an array.
func (g *gen) indexed(deep int) string {
	if v, ok := g.some(tArr, true); ok && g.chance(40) {
		return fmt.Sprintf("%s[%s]", v.name, g.oneOf("0", "1", "2", "("+g.intVar()+" & 1)"))
	}
	v, ok := g.some(tInts, true)
	if !ok {
		return g.int(deep - 1)
	}
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("%s[%s]", v.name, g.oneOf("0", "len("+v.name+")-1", g.intVar()))
	case 1:
		return fmt.Sprintf("total(%s...)", v.name)
	case 2:
		return fmt.Sprintf("pick(slices.Contains(%s, %s), 1, 0)", v.name, g.int(0))
	case 3:
		return fmt.Sprintf("slices.Index(%s, %s)", v.name, g.int(0))
	}
	return "len(" + v.name + ")"
}

// field is a part of a struct.
func (g *gen) field() string {
	v, ok := g.some(tItem, true)
	if p, also := g.some(tPItem, true); also && (!ok || g.chance(50)) {
		v, ok = p, true
	}
	if !ok {
		return g.intVar()
	}
	return fmt.Sprintf(g.oneOf("%s.K", "%s.X", "%s.sum(1)", "len(%s.S)"), v.name)
}

// pointed is what a pointer, or a value that may be absent, stands for.
func (g *gen) pointed() string {
	if v, ok := g.some(tTo, true); ok && g.chance(50) {
		return "*" + v.name
	}
	if v, ok := g.some(tNull, true); ok {
		return g.oneOf("int("+v.name+".Int64)", fmt.Sprintf("pick(%s.Valid, int(%s.Int64), %s)", v.name, v.name, g.literal()))
	}
	return g.intVar()
}

// text gives an expression of type string.
func (g *gen) text(deep int) string {
	v, ok := g.some(tText, true)
	if deep <= 0 || g.chance(35) {
		if ok && g.chance(65) {
			return v.name
		}
		return strconv.Quote(g.oneOf("", "a", "b", "bb", "abc"))
	}
	sub := func() string { return g.text(deep - 1) }
	switch g.r.IntN(14) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", sub(), sub())
	case 2:
		return fmt.Sprintf("fmt.Sprintf(\"%%d%s\", %s)", g.oneOf("", "-", "b"), g.int(deep-1))
	case 3:
		return fmt.Sprintf("fmt.Sprintf(\"%%s%%v\", %s, %s)", sub(), g.oneOf(g.int(0), g.bool(0)))
	case 4:
		return fmt.Sprintf("strconv.Itoa(%s)", g.int(deep-1))
	case 5:
		return fmt.Sprintf("strings.ToUpper(%s)", sub())
	case 6:
		return fmt.Sprintf("strings.Join([]string{%s, %s}, %q)", sub(), sub(), g.oneOf("", ","))
	case 7:
		return fmt.Sprintf("pick(%s, %s, %s)", g.bool(deep-1), sub(), sub())
	case 8:
		return fmt.Sprintf("word(%s)", g.int(deep-1))
	case 9:
		return fmt.Sprintf("first(%s)", sub())
	case 10:
		if g.chance(70) {
			return strconv.Quote(g.oneOf("", "b"))
		}
		return fmt.Sprintf("map[int]string{0: \"a\", 1: %s, 2: \"abc\"}[%s]", sub(), g.intVar())
	case 11:
		if w, has := g.some(tByInt, true); has {
			return fmt.Sprintf("%s[%s]", w.name, g.int(0))
		}
	case 12:
		if w, has := g.some(tItem, true); has {
			return w.name + ".S"
		}
	case 13:
		if w, has := g.some(tTextN, true); has {
			return w.name + ".String"
		}
	}
	if ok {
		return v.name
	}
	return `"abc"`
}

// bool gives a condition.
func (g *gen) bool(deep int) string {
	if v, ok := g.some(tBool, true); ok && g.chance(20) {
		return v.name
	}
	if deep > 0 {
		switch g.r.IntN(9) {
		case 0:
			return fmt.Sprintf("(%s && %s)", g.bool(deep-1), g.bool(deep-1))
		case 1:
			return fmt.Sprintf("(%s || %s)", g.bool(deep-1), g.bool(deep-1))
		case 2:
			return "!" + g.bool(0)
		case 3:
			return fmt.Sprintf("isOdd(%s)", g.int(deep-1))
		case 4:
			if v, ok := g.some(tErr, true); ok {
				return fmt.Sprintf(g.oneOf("(%s != nil)", "(%s == nil)", "errors.Is(%s, ErrStop)", "errors.Is(%s, ErrSkip)", "errors.Is(%s, "+g.noRows()+")", "(%s == ErrStop)"), v.name)
			}
		case 5:
			if v, ok := g.some(tPtr, true); ok {
				return g.oneOf("("+v.name+" != nil)", "("+v.name+" == nil)", fmt.Sprintf("(%s != nil && *%s > %s)", v.name, v.name, g.int(0)))
			}
			if v, ok := g.some(tNull, true); ok {
				return v.name + ".Valid"
			}
		case 6:
			return fmt.Sprintf("%s(%s, %s)", g.oneOf("strings.Contains", "strings.HasPrefix"), g.text(deep-1), g.text(0))
		}
	}
	if g.chance(25) {
		return fmt.Sprintf("(%s %s %s)", g.text(deep-1), g.oneOf("==", "!=", "<", ">="), g.text(deep-1))
	}
	return fmt.Sprintf("(%s %s %s)", g.int(deep), g.oneOf("==", "!=", "<", "<=", ">", ">="), g.int(deep-1))
}
