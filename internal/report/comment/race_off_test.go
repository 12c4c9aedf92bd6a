//go:build !race

package comment

// underRace says that memory is counted wrong: the race detector takes its own.
const underRace = false
