package module

func leaf() {}

func _() { leaf() }
