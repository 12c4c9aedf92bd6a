package nova

import (
	"github.com/stackreeve/stackreeve/internal/cloud/simulator/oslo"
)

// Volumes is what Nova asks of Cinder. Errors are those of Cinder's API.
type Volumes interface {
	// Find looks a volume up as a caller may see it.
	Find(c *oslo.Caller, id string) (VolumeInfo, error)
	// Create makes a volume for a project and returns its id.
	Create(c *oslo.Caller, spec VolumeSpec) (string, error)
	// Attach marks a volume as in use by a server and returns the attachment's id.
	Attach(id, server, host, device string) (string, error)
	// Detach undoes Attach.
	Detach(id, server string) error
	// Delete removes a volume that is not in use.
	Delete(id string) error
}

// VolumeInfo is what Nova looks at in a volume.
type VolumeInfo struct {
	ID, Name, Status, Zone string
	Size                   int // GiB
	Bootable, Multiattach  bool
}

// VolumeSpec is a volume to make from an image, a snapshot, a volume, or nothing.
type VolumeSpec struct {
	Name, Image, Snapshot, Source, Type string
	Size                                int // GiB
}
