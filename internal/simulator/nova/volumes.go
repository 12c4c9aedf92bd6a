package nova

import (
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Volumes is the part of Cinder that Nova uses. Errors are those of Cinder's API.
type Volumes interface {
	// Find finds a volume that a caller may see.
	Find(c *oslo.Caller, id string) (VolumeInfo, error)
	// Check reports whether the source of a volume exists.
	Check(c *oslo.Caller, spec VolumeSpec) error
	// Create makes a volume for a project and returns its ID.
	Create(project, user string, spec VolumeSpec) (string, error)
	// Attach reserves a volume for a server, which then uses it. It returns the ID of the attachment. A volume that
	// is being created counts as available.
	Attach(id, server, host, device string) (string, error)
	// Detach removes the attachment. If remove is set, it then deletes the volume.
	Detach(id, server string, remove bool) error
	// Reimage writes an image to a volume that is attached to a server. It calls done when that is complete or has
	// failed.
	Reimage(c *oslo.Caller, id, image string, done func(error)) error
}

// VolumeInfo is the part of a volume that Nova reads.
type VolumeInfo struct {
	ID, Status            string
	Image                 string   // the image that it was made from
	Users                 []string // servers that it is attached to
	Bootable, Multiattach bool
}

// VolumeSpec is a volume to make from an image, a snapshot, or nothing.
type VolumeSpec struct {
	Image, Snapshot, Type, Zone string
	Size                        int // GiB
}
