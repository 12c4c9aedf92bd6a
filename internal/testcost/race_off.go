//go:build !race

package testcost

// UnderRace reports whether the race detector is on, which needs additional memory and time.
const UnderRace = false
