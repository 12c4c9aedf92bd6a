package nova

import (
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Volumes is what Nova asks of Cinder. Errors are those of Cinder's API.
type Volumes interface {
	// Find looks a volume up as a caller may see it.
	Find(c *oslo.Caller, id string) (VolumeInfo, error)
	// Check reports whether what a volume would be made of is there.
	Check(c *oslo.Caller, spec VolumeSpec) error
	// Create makes a volume for a project and returns its id.
	Create(project, user string, spec VolumeSpec) (string, error)
	// Attach reserves a volume for a server, which then uses it, and returns the
	// attachment's id. A volume that is being created counts as available.
	Attach(id, server, host, device string) (string, error)
	// Detach undoes Attach; the volume may be deleted then.
	Detach(id, server string, remove bool) error
	// Reimage writes an image to a volume that a server has, and calls done when it
	// is written, or has failed.
	Reimage(c *oslo.Caller, id, image string, done func(error)) error
}

// VolumeInfo is what Nova looks at in a volume.
type VolumeInfo struct {
	ID, Status            string
	Image                 string   // that it was made from
	Users                 []string // servers it is attached to
	Bootable, Multiattach bool
}

// VolumeSpec is a volume to make from an image, a snapshot, or nothing.
type VolumeSpec struct {
	Image, Snapshot, Type, Zone string
	Size                        int // GiB
}
