// Package image is the kind Image: a disk image (Glance), in K-ORC's vocabulary. The agent downloads the content of an
// image, checks it and sends it to Glance while it arrives (see uploads). It never stores the whole content in memory or
// on disk.
//
// The mark is a property, and contains the ID of the image that it was written on. Another property describes the
// uploaded content by digests. It does not contain the address itself, because that may contain a secret, and all users
// of an image can read its properties.
package image

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the declared image. Field names and meanings are K-ORC's
// (api/v1alpha1/image_types.go). Unlike in K-ORC, properties can be changed.
type Spec struct {
	Name       *string     `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Protected  *bool       `json:"protected,omitempty" api:"protected" rule:"default=false" doc:"Whether the cloud refuses to delete the image."`
	Visibility *string     `json:"visibility,omitempty" api:"visibility" rule:"enum=public|private|shared|community" doc:"Which projects can see the image. If left out, the cloud decides for a new image, and the agent does not change it later."`
	Tags       []string    `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags."`
	Properties *Properties `json:"properties,omitempty" doc:"Properties for the hypervisor. A property that is left out is not managed."`
	Content    *Content    `json:"content,omitempty" rule:"immutable" doc:"Content of the image. Required unless an existing image is adopted."`
}

// More holds the fields of an image that only Glance sets.
type More struct {
	Status          string     `json:"status" api:"status"`
	Hash            *Hash      `json:"hash,omitempty" api:",inline"`
	SizeB           *int64     `json:"sizeB,omitempty" api:"size"`
	VirtualSizeB    *int64     `json:"virtualSizeB,omitempty" api:"virtual_size"`
	MinDisk         int        `json:"minDisk" api:"min_disk" show:"-"` // GiB
	MinRAM          int        `json:"minRAM" api:"min_ram" show:"-"`   // MiB
	DiskFormat      string     `json:"diskFormat" api:"disk_format" show:"-"`
	ContainerFormat string     `json:"containerFormat" api:"container_format" show:"-"`
	Owner           string     `json:"owner" api:"owner" show:"-"`
	Uploaded        table.Text `json:"uploaded" api:"stackreeve-content" show:"-"`
	ImportTask      table.Text `json:"importTask" api:"os_glance_importing_to_stores" show:"-"`
	ImportLock      table.Text `json:"importLock" api:"os_glance_import_task" show:"-"`
	ImportFailed    table.Text `json:"importFailed" api:"os_glance_failed_import" show:"-"`
	CreatedAt       table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt       table.Time `json:"updatedAt" api:"updated_at"`
	Seen
}

// Hash is a digest of an image's content.
type Hash struct {
	Algorithm string `json:"algorithm" api:"os_hash_algo" rule:"required,enum=md5|sha1|sha256|sha512" doc:"Algorithm of the digest."`
	Value     string `json:"value" api:"os_hash_value" rule:"required,min=1,max=1024,pattern=^[0-9a-f]+$" doc:"The digest in hexadecimal digits."`
}

// Filter selects an existing image.
type Filter struct {
	Name       *string  `json:"name,omitempty" api:"-" doc:"Exact name; with latest, * stands for any text."`
	Latest     *bool    `json:"latest,omitempty" api:"-" doc:"Whether several images may match, of which the newest active one counts. Only images of the project itself and public ones count. An existing machine gets a newer image only if a commit changes the filter, somebody runs stackreeve replace, or an annotation proposes it and its plan is approved."`
	Owner      *string  `json:"owner,omitempty" api:"-" rule:"pattern=^[0-9a-zA-Z-]{1,64}$" doc:"ID of the project that owns the image. With latest, images that the owner has shared with the stack's project count, too, because nobody else can make an image with this owner."`
	Visibility *string  `json:"visibility,omitempty" rule:"enum=public|private|shared|community" doc:"Who can see it. Community images are found only with visibility: community, because everybody can publish an image under any name."`
	Tags       []string `json:"tags,omitempty" api:"-" doc:"All of these tags."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Newest reports whether the newest of all images that match is meant.
func (f *Filter) Newest() bool { return table.Or(f.Latest, false) }

// Trusting reports whether the filter itself excludes the images of strangers.
func (f *Filter) Trusting() bool { return f.Owner != nil }

// OwnedBy returns the owner whom the filter names; "" if it names none.
func (f *Filter) OwnedBy() string { return table.Or(f.Owner, "") }

// OwnedBy returns the project that owns the image. Package outdated needs it for every image of the list.
func (m *More) OwnedBy() string { return m.Owner }

// Kind returns the kind Image. c may be nil if only the kind's rules are needed. Images are downloaded from public
// addresses, and from the hosts that d names, whatever their address is. The kind lists the images that the project can
// use. It also lists community images, which Glance omits by default.
func Kind(c *cloud.Client, d defaults.Defaults) *kind.Kind {
	u := newUploads(c, d)
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Image", Service: cloud.Image, Rare: true,
			Loss: []string{"what it holds"}, Unmark: "openstack image unset --property " + mark.OwnerKey + " <id>",
			Doc: "A disk image that servers and volumes start from (Glance): downloaded, checked and uploaded, or an existing one.",
		},
		Collection: define.Collection{Path: "images", Lists: []string{"images" + everyVisibility}, Project: "owner", UpdateBy: http.MethodPatch},
		Mark:       mark.PropertyPlace,
		Overrides: []table.Override[Spec, More]{{Field: "properties", Compare: compareProperties, Write: writeProperties},
			{Field: "content", Compare: compareContent, Write: writeContent}},
		Validate: validate, Impossible: impossible, Match: match, Diff: diff, All: listAll, Observe: u.observe, PerStack: true, Export: export,
		Create: u.create, Update: u.update, Delete: u.remove, Unmark: unmark,
	})
}

// Content describes the content of an image and its source.
type Content struct {
	ContainerFormat string    `json:"containerFormat,omitempty" rule:"enum=aki|ami|ari|bare|compressed|docker|ova|ovf,default=bare" doc:"Format of the container around the disk."`
	DiskFormat      string    `json:"diskFormat" rule:"required,enum=ami|ari|aki|vhd|vhdx|vmdk|raw|qcow2|vdi|ploop|iso" doc:"Format of the disk."`
	Download        *Download `json:"download,omitempty" rule:"required" doc:"Source of the download."`
}

// Download is the source of the content.
type Download struct {
	URL        string  `json:"url" rule:"required,max=2048" doc:"Address of the file, http or https. The agent downloads it. The host must have a public IP address, unless spec.defaults.imageHosts of the stack's configuration names the host."`
	Decompress *string `json:"decompress,omitempty" rule:"enum=xz|gz|bz2" doc:"How the file is compressed."`
	Hash       *Hash   `json:"hash,omitempty" doc:"Digest of the downloaded file, before decompression. If the digest differs, the image is never used."`
}

// Properties tell the hypervisor how to run the image.
type Properties struct {
	Architecture    *string          `json:"architecture,omitempty" doc:"CPU architecture, e.g. x86_64."`
	HypervisorType  *string          `json:"hypervisorType,omitempty" doc:"Hypervisor that the image needs."`
	MinDiskGB       *int             `json:"minDiskGB,omitempty" rule:"min=1" doc:"Smallest disk in GiB."`
	MinMemoryMB     *int             `json:"minMemoryMB,omitempty" rule:"min=1" doc:"Smallest memory in MiB."`
	Hardware        *Hardware        `json:"hardware,omitempty" doc:"Virtual hardware."`
	OperatingSystem *OperatingSystem `json:"operatingSystem,omitempty" doc:"Operating system in the image."`
}

// Hardware is the virtual hardware that an image asks for.
type Hardware struct {
	CPUSockets      *int    `json:"cpuSockets,omitempty" rule:"min=1" doc:"Preferred number of sockets."`
	CPUCores        *int    `json:"cpuCores,omitempty" rule:"min=1" doc:"Preferred cores per socket."`
	CPUThreads      *int    `json:"cpuThreads,omitempty" rule:"min=1" doc:"Preferred threads per core."`
	CPUPolicy       *string `json:"cpuPolicy,omitempty" rule:"enum=shared|dedicated" doc:"Whether CPUs are pinned."`
	CPUThreadPolicy *string `json:"cpuThreadPolicy,omitempty" rule:"enum=prefer|isolate|require" doc:"How the CPU threads of one core are used."`
	CDROMBus        *string `json:"cdromBus,omitempty" doc:"Bus of CD-ROM drives."`
	DiskBus         *string `json:"diskBus,omitempty" doc:"Bus of disks."`
	SCSIModel       *string `json:"scsiModel,omitempty" rule:"enum=virtio-scsi" doc:"SCSI controller."`
	VIFModel        *string `json:"vifModel,omitempty" rule:"enum=e1000|e1000e|ne2k_pci|pcnet|rtl8139|virtio|vmxnet3" doc:"Network card."`
	RngModel        *string `json:"rngModel,omitempty" rule:"max=255" doc:"Random number generator."`
	QemuGuestAgent  *bool   `json:"qemuGuestAgent,omitempty" doc:"Whether it runs the QEMU guest agent."`
}

// OperatingSystem is the operating system in an image.
type OperatingSystem struct {
	Distro  *string `json:"distro,omitempty" doc:"Distribution, e.g. debian."`
	Version *string `json:"version,omitempty" rule:"max=255" doc:"Its version."`
}
