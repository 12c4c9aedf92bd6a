// Package testcost measures in tests how much memory code takes.
//
// The numbers are of all of the process, so nothing else may run meanwhile. Under the
// race detector they contain what the detector itself takes: see [UnderRace].
package testcost

import "runtime"

// Allocated is how many bytes do asks for, freed again or not.
func Allocated(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// AllocatedWithoutRace is the same, and 0 under the race detector: for limits that
// are too tight for what the detector adds.
func AllocatedWithoutRace(do func()) int64 {
	n := Allocated(do)
	if UnderRace {
		return 0
	}
	return n
}

// AllocatedAndKept is how many bytes do asks for, and how many of them are still
// in use afterwards. The caller keeps alive what is to count, and no less than zero
// is kept.
func AllocatedAndKept(do func()) (allocated, kept int64) {
	var before, end runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	allocated = Allocated(do)
	runtime.GC()
	runtime.ReadMemStats(&end)
	return allocated, max(0, int64(end.HeapAlloc)-int64(before.HeapAlloc))
}
