// Package swiftcontainer is the kind SwiftContainer: a container of the object store (Swift).
// The package reads only the number and the size of the objects in a container.
package swiftcontainer

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared container. Its attributes are names that this package gives to Swift's
// headers (see headers.go).
type Spec struct {
	Name          *string            `json:"name,omitempty" api:"name,named" rule:"immutable,min=1,max=256,pattern=^[^/\\p{C}]*[^/.\\p{C}][^/\\p{C}]*$" doc:"Name in the cloud; metadata.name if left out. It is a part of the address of every object in it."`
	ReadACL       []string           `json:"readACL,omitempty" api:"read_acl,empty" rule:"max=100" doc:"Who may read, besides the project, in the order in which Swift checks the entries: <project ID>:<user ID> (either may be *), .r:* for everybody, .r:<host> or .r:-<host> by the address of the referring website, .rlistings for listings." example:".r:*"`
	WriteACL      []string           `json:"writeACL,omitempty" api:"write_acl,set,empty" rule:"max=100" doc:"Who may write, besides the project: <project ID>:<user ID>, either of which may be *."`
	QuotaBytes    *int               `json:"quotaBytes,omitempty" api:"quota_bytes,null" rule:"min=0" doc:"Largest number of bytes; no limit if left out."`
	QuotaObjects  *int               `json:"quotaObjects,omitempty" api:"quota_count,null" rule:"min=0" doc:"Largest number of objects; no limit if left out."`
	Versioning    *bool              `json:"versioning,omitempty" api:"versions" rule:"default=false" doc:"Keep the earlier versions of objects that are overwritten or deleted. Kept versions stay when this is switched off."`
	Origins       []string           `json:"corsOrigins,omitempty" api:"origins,set,empty" rule:"max=50" doc:"Websites whose scripts may read the answers in a browser; * for all." example:"https://shop.example.org"`
	Exposed       []string           `json:"corsExposedHeaders,omitempty" api:"exposed,set,empty" rule:"max=50" doc:"Headers of answers that the scripts of corsOrigins can read, besides the usual ones."`
	MaxAge        *int               `json:"corsMaxAge,omitempty" api:"max_age,null" rule:"min=1" doc:"Seconds for which browsers remember the permissions of corsOrigins."`
	StoragePolicy *string            `json:"storagePolicy,omitempty" api:"policy" rule:"immutable,min=1,max=255,pattern=^[A-Za-z0-9-]+$" doc:"How the cloud stores the objects; the cloud chooses if left out."`
	Metadata      []define.NameValue `json:"metadata,omitempty" api:"metadata,pairs,empty" rule:"max=80" doc:"Metadata (X-Container-Meta-), without the metadata of the owner mark. Names consist of small letters, digits, hyphens and dots."`
}

// More holds the fields of a container that only Swift sets.
type More struct {
	Objects   int        `json:"objects" api:"objects"`
	Bytes     int        `json:"bytes" api:"bytes"`
	CreatedAt table.Time `json:"createdAt" api:"created"`
}

// Filter selects an existing container.
type Filter struct {
	Name *string `json:"name,omitempty" doc:"Exact name."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	want   = typed.Want[Spec]
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind is the kind SwiftContainer over c, which may be nil where only rules are needed. The
// ID of a container is its name.
func Kind(c *cloud.Client, d defaults.Defaults) *kind.Kind {
	mine := defaults.Recall(d.Memory, "SwiftContainer", func() *made { return &made{} })
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Lists: []string{cloud.ObjectStore + "/containers"},
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "SwiftContainer", Service: cloud.ObjectStore, UniqueNames: true, IDIsName: true, Rare: true,
			HoldsData: true, Loss: []string{"its permissions and other settings; a container with objects is not deleted"},
			Unmark: "openstack container unset --property stackreeve --property stackreeve-applied <id>",
			Doc:    "A container of the object store (Swift). The objects in it are not managed. If a container has objects, or earlier versions of objects, it is never deleted. Swift's lists do not show the owner of a container. So if a stack has a container, each pass sends one request (HEAD) for every container of the project, 16 at a time.",
		},
		Collection: define.Collection{ID: "name"},
		Mark:       place,
		Overrides:  []table.Override[Spec, More]{{Field: "storagePolicy", Compare: comparePolicy}},
		Validate:   validate, All: mine.all, Observe: observe,
		Create: mine.create, Update: update, Delete: remove, Unmark: unmark,
	})
}

// comparePolicy ignores upper and lower case in the names of storage policies.
// (swift/common/storage_policy.py: get_by_name)
func comparePolicy(w want, have *table.Object[Spec, More], c *kind.Changes) {
	asked, there := table.Or(w.Spec.StoragePolicy, ""), table.Or(have.Spec.StoragePolicy, "")
	if asked != "" && !strings.EqualFold(asked, there) {
		kind.Differs(c, at+"storagePolicy", there, asked, kind.Replace)
	}
}
