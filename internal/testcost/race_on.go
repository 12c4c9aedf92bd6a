//go:build race

package testcost

// UnderRace says that the race detector is on: it takes memory and time of its own.
const UnderRace = true
