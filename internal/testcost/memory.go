// Package testcost is about the cost of tests: how much memory code needs, which tests take long, and which need a real program.
//
// The numbers are those of the whole process, so nothing else may run at the same time. Under the race detector,
// they include the memory of the detector itself: see [UnderRace].
package testcost

import "runtime"

// Allocated returns the number of bytes that do allocates, including those that are freed again.
func Allocated(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// AllocatedWithoutRace does the same as Allocated, but returns 0 under the race detector. It is for limits that
// would be exceeded by the memory of the detector.
func AllocatedWithoutRace(do func()) int64 {
	n := Allocated(do)
	if UnderRace {
		return 0
	}
	return n
}

// AllocatedAndKept returns the number of bytes that do allocates, and how many of them are still in use
// afterwards. The caller must keep a reference to the data that are to be counted. kept is never negative.
func AllocatedAndKept(do func()) (allocated, kept int64) {
	var before, end runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	allocated = Allocated(do)
	runtime.GC()
	runtime.ReadMemStats(&end)
	return allocated, max(0, int64(end.HeapAlloc)-int64(before.HeapAlloc))
}
