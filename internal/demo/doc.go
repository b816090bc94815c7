// Package demo plays scenes for a class: small applications with an execution
// that no serial order explains.
//
//	s, err := demo.Named("write-skew")
//	if err != nil { … }
//	p, err := demo.Prepare(ctx, s)
//	if err != nil { … }
//	err = p.Tell(ctx, demo.Stage{Out: os.Stdout})
//
// A scene is a folder: scene.md with the story, the isolation level and the
// calls of the sessions, .sql files with the schema, the rows to start with and
// the transactions, and a folder for each change that might repair it. Such a folder
// has a scene.md of its own, and the .sql files that take the place of those of
// the scene. docs/demo.md describes the form.
//
// A scene says which transactions run, and not what happens. Prepare interprets
// all executions of its calls (at READ COMMITTED: those in which one transaction is
// interrupted), takes the first one that no serial order explains, and shows it to
// the checkers of histories. So do robust check and its witnesses. A scene
// without such an execution is an error. The changes are judged by package check
// for any rows and any number of sessions.
//
// Live plays the same execution on a server, and Lecture writes a handout.
package demo
