module example.com/people

go 1.24

require entgo.io/ent v0.0.0

replace entgo.io/ent => ../../stubs/ent
