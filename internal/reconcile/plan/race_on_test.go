//go:build race

package reconcile

// underRace says that memory is counted wrong: the race detector takes its own.
const underRace = true
