package module

type shape interface{ isShape() }

type circle struct{}

type square struct{}

func (circle) isShape() {}

func (*square) isShape() {}

func some(s shape) bool {
	switch s.(type) {
	case circle:
		return true
	}
	return false
}

func all(s shape) int {
	switch s.(type) {
	case circle:
		return 1
	case *square:
		return 2
	}
	return 0
}

func rest(s shape) int {
	switch s := s.(type) {
	case circle:
		return 1
	default:
		_ = s
		return 2
	}
}
