package testcost

import (
	"runtime"
	"testing"
)

var sink []byte // prevents that the compiler omits the allocation

func TestAllocated(t *testing.T) {
	const size = 8 << 20
	if n := Allocated(func() { sink = make([]byte, size); sink = nil }); n < size || n > 2*size {
		t.Errorf("%d bytes, want about %d", n, size)
	}
	var used []byte
	allocated, kept := AllocatedAndKept(func() { used = make([]byte, size); sink = make([]byte, 2*size); sink = nil })
	if allocated < 3*size || kept < size-4096 || kept >= 2*size {
		t.Errorf("%d bytes, of which %d are kept; want %d and %d", allocated, kept, 3*size, size)
	}
	runtime.KeepAlive(used)
	if n := AllocatedWithoutRace(func() { sink = make([]byte, size) }); (n == 0) != UnderRace {
		t.Errorf("%d bytes, under race: %v", n, UnderRace)
	}
}
