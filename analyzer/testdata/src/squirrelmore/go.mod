module example.com/seats

go 1.24

require github.com/Masterminds/squirrel v0.0.0

replace github.com/Masterminds/squirrel => ../../stubs/squirrel
