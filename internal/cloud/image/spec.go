// Package image is the kind Image: a disk image (Glance), in K-ORC's
// vocabulary. It finds images that exist; it does not upload any.
package image

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what an image would be. Field names and meanings are K-ORC's
// (api/v1alpha1/image_types.go). It is known so that such a manifest is
// refused with the right words.
type Spec struct {
	Name       *string     `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Protected  *bool       `json:"protected,omitempty" api:"protected" rule:"default=false" doc:"Whether deleting it is refused."`
	Visibility *string     `json:"visibility,omitempty" api:"visibility" rule:"enum=public|private|shared|community" doc:"Who can see it."`
	Tags       []string    `json:"tags,omitempty" api:"tags,set" rule:"max=64" doc:"Tags."`
	Properties *Properties `json:"properties,omitempty" rule:"immutable" doc:"What the hypervisor should know."`
	Content    *Content    `json:"content,omitempty" rule:"immutable" doc:"Where the image comes from."`
}

// More is what only Glance says of an image.
type More struct {
	Status       string `json:"status" api:"status"`
	Hash         *Hash  `json:"hash,omitempty" api:",inline"`
	SizeB        *int64 `json:"sizeB,omitempty" api:"size"`
	VirtualSizeB *int64 `json:"virtualSizeB,omitempty" api:"virtual_size"`
}

// Hash is a digest of an image's content.
type Hash struct {
	Algorithm string `json:"algorithm" api:"os_hash_algo" rule:"required,enum=md5|sha1|sha256|sha512" doc:"How it is computed."`
	Value     string `json:"value" api:"os_hash_value" rule:"required,min=1,max=1024,pattern=^[0-9a-f]+$" doc:"The digest in hexadecimal digits."`
}

// Filter says which existing image is meant.
type Filter struct {
	Name       *string  `json:"name,omitempty" doc:"Exact name."`
	Visibility *string  `json:"visibility,omitempty" rule:"enum=public|private|shared|community" doc:"Who can see it. Community images are only considered when asked for: anybody can publish one under any name."`
	Tags       []string `json:"tags,omitempty" api:"-" doc:"All of these tags."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind Image over c, which may be nil where only rules are needed. It
// lists the images that the project can use, and those that anybody has published,
// which Glance leaves out unless they are asked for.
func Kind(c *cloud.Client) kind.Kind {
	return define.Import(c, define.ImportKind[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Image", Service: cloud.Image,
			Doc: "A disk image that servers and volumes start from (Glance). Only existing images can be used: managementPolicy unmanaged.",
		},
		Collection: define.Collection{Path: "images", Lists: []string{"images?limit=1000", "images?limit=1000&visibility=" + community}, Project: "owner"},
		Making:     "an image to be uploaded", Instead: "upload it by other means",
		Match: match, Observe: observe,
	})
}

// Content says what an image holds and where it comes from.
type Content struct {
	ContainerFormat string    `json:"containerFormat,omitempty" rule:"enum=aki|ami|ari|bare|compressed|docker|ova|ovf,default=bare" doc:"Format of the wrapping."`
	DiskFormat      string    `json:"diskFormat" rule:"required,enum=ami|ari|aki|vhd|vhdx|vmdk|raw|qcow2|vdi|ploop|iso" doc:"Format of the disk."`
	Download        *Download `json:"download,omitempty" rule:"required" doc:"Where it is downloaded from."`
}

// Download is a place on the web.
type Download struct {
	URL        string  `json:"url" rule:"required,max=2048" doc:"Address of the file."`
	Decompress *string `json:"decompress,omitempty" rule:"enum=xz|gz|bz2" doc:"How the file is compressed."`
	Hash       *Hash   `json:"hash,omitempty" doc:"Digest of the file as it is downloaded."`
}

// Properties say to the hypervisor how to run the image.
type Properties struct {
	Architecture    *string          `json:"architecture,omitempty" doc:"CPU architecture, e.g. x86_64."`
	HypervisorType  *string          `json:"hypervisorType,omitempty" doc:"Hypervisor it needs."`
	MinDiskGB       *int             `json:"minDiskGB,omitempty" rule:"min=1" doc:"Smallest disk in GiB."`
	MinMemoryMB     *int             `json:"minMemoryMB,omitempty" rule:"min=1" doc:"Smallest memory in MiB."`
	Hardware        *Hardware        `json:"hardware,omitempty" doc:"Virtual hardware."`
	OperatingSystem *OperatingSystem `json:"operatingSystem,omitempty" doc:"What runs in it."`
}

// Hardware is the virtual hardware that an image asks for.
type Hardware struct {
	CPUSockets      *int    `json:"cpuSockets,omitempty" rule:"min=1" doc:"Preferred number of sockets."`
	CPUCores        *int    `json:"cpuCores,omitempty" rule:"min=1" doc:"Preferred cores per socket."`
	CPUThreads      *int    `json:"cpuThreads,omitempty" rule:"min=1" doc:"Preferred threads per core."`
	CPUPolicy       *string `json:"cpuPolicy,omitempty" rule:"enum=shared|dedicated" doc:"Whether CPUs are pinned."`
	CPUThreadPolicy *string `json:"cpuThreadPolicy,omitempty" rule:"enum=prefer|isolate|require" doc:"How thread siblings are used."`
	CDROMBus        *string `json:"cdromBus,omitempty" doc:"Bus of CD-ROM drives."`
	DiskBus         *string `json:"diskBus,omitempty" doc:"Bus of disks."`
	SCSIModel       *string `json:"scsiModel,omitempty" rule:"enum=virtio-scsi" doc:"SCSI controller."`
	VIFModel        *string `json:"vifModel,omitempty" rule:"enum=e1000|e1000e|ne2k_pci|pcnet|rtl8139|virtio|vmxnet3" doc:"Network card."`
	RngModel        *string `json:"rngModel,omitempty" rule:"max=255" doc:"Random number generator."`
	QemuGuestAgent  *bool   `json:"qemuGuestAgent,omitempty" doc:"Whether it runs the QEMU guest agent."`
}

// OperatingSystem is what runs in an image.
type OperatingSystem struct {
	Distro  *string `json:"distro,omitempty" doc:"Distribution, e.g. debian."`
	Version *string `json:"version,omitempty" rule:"max=255" doc:"Its version."`
}
