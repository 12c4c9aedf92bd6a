package kind_test

import (
	"testing"
	"unsafe"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// An object takes no more than the 768 bytes of a size class of Go. The next class has 896 bytes, and a pass over 2,000 new machines has 8,000
// objects in memory at the same time.
func TestTheSizeOfAnObject(t *testing.T) {
	if size := unsafe.Sizeof(kind.Live{}); size > 768 {
		t.Errorf("%d bytes, want 768 at most", size)
	}
}
