package plan

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Seen has facts about members of groups that earlier plans found and that no list of the cloud shows. After a restart it is empty, and
// only the lists are used.
type Seen struct {
	// Served are the members that were seen serving.
	Served map[manifest.Key]Served
	// Quiet has the time since which a front sends no new traffic to a member. Clouds only report when the front was last written, and each
	// later write changes that time.
	Quiet map[Quiet]time.Time
}

// Served is a member that served. ID is the ID of the object that did its work. Until is when the member was first seen not serving; the
// zero time while it serves.
type Served struct {
	ID    string
	Until time.Time
}

// Quiet is a front, and a member to which it sends no new traffic.
type Quiet struct{ Front, Member manifest.Key }
