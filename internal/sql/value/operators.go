package value

// NegatedBy are the functions of operators that are true where another one is false.
var NegatedBy = map[string]string{"nregexeq": "regexeq", "textregexne": "textregexeq", "texticregexne": "texticregexeq", "nameregexne": "nameregexeq",
	"nameicregexne": "nameicregexeq", "bpcharregexne": "bpcharregexeq", "bpcharicregexne": "bpcharicregexeq", "namenlike": "namelike", "bpcharnlike": "bpcharlike",
	"nameicnlike": "nameiclike", "bpcharicnlike": "bpchariclike", "byteanlike": "bytealike"}

// ArithmeticFunction is the function of an operator on two values of a type.
func ArithmeticFunction(op, name string) string {
	prefix := map[string]string{"numeric": "numeric_", "float4": "float4", "float8": "float8"}[name]
	words := map[string]string{"+": "pl", "-": "mi", "*": "mul", "/": "div"}
	if name == "numeric" {
		words = map[string]string{"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}
	}
	if op == "^" {
		return map[string]string{"numeric": "numeric_power", "float8": "dpow", "float4": "dpow"}[name] + "(" + name + "," + name + ")"
	}
	return prefix + words[op] + "(" + name + "," + name + ")"
}
