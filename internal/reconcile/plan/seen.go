package plan

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Seen is what earlier plans found out about members of groups, and no list of the cloud shows. A process that has seen nothing yet relies on the
// lists alone.
type Seen struct {
	// Served are members that were seen to serve.
	Served map[manifest.Key]Served
	// Quiet is since when a front sends nothing new to a member. Clouds only say when the front was last written, and any later write of it moves
	// that time on.
	Quiet map[Quiet]time.Time
}

// Served is an incarnation of a member that served. Until is when it was first seen not to; the zero time while it serves.
type Served struct {
	ID    string
	Until time.Time
}

// Quiet is a front that sends nothing new, and the member that gets nothing.
type Quiet struct{ Front, Of manifest.Key }
