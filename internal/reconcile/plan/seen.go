package plan

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Seen is what plans before have found out of members of groups, and no list shows. Whoever has seen nothing yet goes by the lists
// alone.
type Seen struct {
	// Served are members that were seen to serve.
	Served map[manifest.Key]Served
	// Quiet is since when members are sent nothing new. Clouds say when such an object was written last, which moves on with
	// anything that is written of it.
	Quiet map[Quiet]time.Time
}

// Served is an incarnation of a member that served, and since when it was seen not to; the zero time while it does.
type Served struct {
	ID    string
	Until time.Time
}

// Quiet is what sends nothing, and whom.
type Quiet struct{ Front, Of manifest.Key }
