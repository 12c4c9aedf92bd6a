package kind_test

import (
	"testing"
	"unsafe"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A pass over 2,000 new machines has 8,000 objects in memory at the same time. 768 bytes are a size of Go's allocator, and the next one is 896.
func TestTheSizeOfAnObject(t *testing.T) {
	if size := unsafe.Sizeof(kind.Live{}); size > 768 {
		t.Errorf("%d bytes, want 768 at most", size)
	}
}
