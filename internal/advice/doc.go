// Package advice makes what may settle an open verdict, for a check to try: facts about rows
// that the program may keep, as it would state them, and the program without a statement that
// is not modelled. It decides nothing.
package advice
