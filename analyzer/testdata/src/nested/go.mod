module nested.test

go 1.24

require nested.test/executor v0.0.0

replace nested.test/executor => ./executor
