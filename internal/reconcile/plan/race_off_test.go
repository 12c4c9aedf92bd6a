//go:build !race

package plan

// underRace says that memory is counted wrong: the race detector takes its own.
const underRace = false
