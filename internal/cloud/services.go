package cloud

import (
	"fmt"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumetypes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/dns/v2/recordsets"
	"github.com/gophercloud/gophercloud/v2/openstack/dns/v2/zones"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/keymanager/v1/secrets"
	balancerflavors "github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	securityrules "github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/rules"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Catalog types of the services that the kinds use.
const (
	Identity         = "identity"
	Compute          = "compute"
	Network          = "network"
	Image            = "image"
	BlockStorage     = "block-storage"
	LoadBalancer     = "load-balancer"
	DNS              = "dns"
	KeyManager       = "key-manager"
	ObjectStore      = "object-store"
	SharedFileSystem = "shared-file-system"
)

// service has everything that differs between OpenStack services. A new service is a new row in services.
type service struct {
	name    string   // catalog type
	aliases []string // its other catalog types (OpenStack Service Types Authority)
	port    string   // its default port, for metrics of requests that gophercloud sends itself
	open    func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error)

	// version is the part between the catalog's address and all paths; "" if the catalog's address includes the
	// version.
	version string
	// discovery is the address of the list of microversions, for an endpoint; nil if the service has none. gophercloud
	// sets the header of a microversion.
	discovery func(endpoint, project string) string
	newest    func(versionDocument) string

	paging      paging            // of all collections except the following
	collections map[string]paging // by the name of the list in the answer

	// conflict is the class of a 409 that is not about an exceeded quota: busy if waiting helps, or else rejected, for
	// example because a name is taken.
	conflict error
	blocks   []block          // messages of a 409 that waiting does not resolve
	usedUp   *pattern.Pattern // matches the service's message when a quota is exceeded, or no address is free
	// working matches the message of a 400 after which waiting helps, because the service is working on something.
	working *pattern.Pattern
	// lacking matches the message when the user's roles are not enough, and advice says which role is missing. Both are set for services for
	// which the role of a project's member is not enough.
	lacking *pattern.Pattern
	advice  string
	mark    string // the place of the owner mark on its objects (package mark)
}

// volumeWorking matches messages about a volume that Cinder has not finished with: "status must be available, but the
// current status is backing-up". (cinder/volume/api.py)
var volumeWorking = pattern.Of(`(?i)current status is:? \\?["']?(creating|backing-up|restoring-backup|attaching|detaching|reserved|uploading|downloading|extending|retyping|deleting)\b`)

// overLimit is the message of services whose quotas are limits in Keystone. (oslo_limit/exception.py: ProjectOverLimit,
// which nova/limit/placement.py and glance/quota/keystone.py repeat)
const overLimit = `is over a limit for`

// services has a row for each service.
var services = []service{{
	name: Identity, port: "5000", open: openIdentity, version: "v3/",
	paging: byNamedLinks, collections: map[string]paging{"projects": always("links", typed[projects.ProjectPage]())},
	conflict: kind.ErrRejected, usedUp: pattern.Of(`(?i)maximum of \d+ already exceeded|` + overLimit), // keystone/exception.py: ApplicationCredentialLimitExceeded
	lacking: pattern.Of(`(?i)not authorized to perform the requested action`),
	advice:  "the user of these credentials lacks the role that Keystone's policy requires, which is usually admin",
	mark:    "an attribute of the agent's own, or the end of the description; for a role assignment, an attribute of its project, user or group",
}, {
	name: Compute, port: "8774", open: openstack.NewComputeV2,
	discovery: withoutProject, newest: currentVersion,
	paging: byLinks, collections: map[string]paging{
		"servers":       typed[servers.ServerPage](),
		"flavors":       typed[flavors.FlavorPage](),
		"server_groups": byOffset, // nova/api/openstack/common.py: limited
	}, // for key pairs, gophercloud reads only the first page
	conflict: kind.ErrBusy, usedUp: pattern.Of(`(?i)quota exceeded|` + overLimit), working: volumeWorking, blocks: computeBlocks,
	mark: "a server's metadata; a key pair's comment; a server group's name",
}, {
	name: Network, port: "9696", open: openstack.NewNetworkV2, version: "v2.0/",
	paging: byLinks, collections: map[string]paging{
		"networks":             typed[networks.NetworkPage](),
		"subnets":              typed[subnets.SubnetPage](),
		"ports":                typed[ports.PortPage](),
		"routers":              typed[routers.RouterPage](),
		"floatingips":          typed[floatingips.FloatingIPPage](),
		"security_groups":      typed[groups.SecGroupPage](),
		"security_group_rules": typed[securityrules.SecGroupRulePage](),
	},
	conflict: kind.ErrBusy, blocks: networkBlocks, // neutron-lib exceptions: OverQuota, IpAddressGenerationFailure, ExternalIpAddressExhausted, NoNetworkAvailable
	usedUp: pattern.Of(`(?i)OverQuota|quota exceeded|IpAddressGenerationFailure|ExternalIpAddressExhausted|NoNetworkAvailable`),
	mark:   "tags, or the end of the description",
}, {
	name: Image, port: "9292", open: openstack.NewImageV2, version: "v2/",
	paging:   byMember("next"), // images.ImagePage takes the first version in an address for the service's own
	conflict: kind.ErrBusy, usedUp: pattern.Of(`(?i)quota exceeded|exceeds .*quota|` + overLimit),
	mark: "a property",
}, {
	name: BlockStorage, aliases: []string{"block-store", "volume", "volumev2", "volumev3"}, port: "8776", open: openstack.NewBlockStorageV3,
	discovery: withoutProject, newest: currentVersion,
	paging: byLinks, collections: map[string]paging{"volumes": typed[volumes.VolumePage](), "volume_types": typed[volumetypes.VolumeTypePage]()},
	conflict: kind.ErrBusy, // cinder/exception.py: the subclasses of QuotaError
	usedUp:   pattern.Of(`(?i)quota exceeded|exceeds allowed .* quota|exceeded for quota|(Snapshot|Backup)LimitExceeded|unexpected over quota`),
	working:  volumeWorking,
	mark:     "metadata",
}, {
	name: LoadBalancer, port: "9876", open: openstack.NewLoadBalancerV2, version: "v2.0/",
	discovery: func(endpoint, _ string) string { return endpoint }, newest: versionInID,
	paging: byLinks, collections: map[string]paging{
		"loadbalancers":  typed[loadbalancers.LoadBalancerPage](),
		"listeners":      typed[listeners.ListenerPage](),
		"pools":          typed[pools.PoolPage](),
		"members":        typed[pools.MemberPage](),
		"healthmonitors": typed[monitors.MonitorPage](),
		"flavors":        typed[balancerflavors.FlavorPage](),
	},
	conflict: kind.ErrBusy, usedUp: pattern.Of(`(?i)quota (exceeded|has been met)`),
	lacking: pattern.Of(`(?i)policy does not allow this request`), // octavia/common/exceptions.py: PolicyForbidden
	advice:  "the user of these credentials lacks the role that Octavia's policy requires, which is usually load-balancer_member",
	mark:    "tags",
}, {
	name: DNS, port: "9001", open: openstack.NewDNSV2, version: "v2/",
	paging: byNamedLinks, collections: map[string]paging{
		"zones":      longest(always("links", typed[zones.ZonePage]())),
		"recordsets": longest(always("links", typed[recordsets.RecordSetPage]())),
	},
	conflict: kind.ErrRejected, usedUp: pattern.Of(`(?i)over_quota|quota exceeded`),
	working: pattern.Of(`(?i)a deleting zone|delete any subzones`), // a zone's record sets and subzones are deleted first
	mark:    "the end of the description",
}, {
	name: KeyManager, port: "9311", open: openstack.NewKeyManagerV1, version: "v1/",
	paging: byMember("next"), collections: map[string]paging{"secrets": atMost(100, always("total", typed[secrets.SecretPage]()))},
	conflict: kind.ErrRejected, usedUp: pattern.Of(`(?i)quota (has been )?(exceeded|reached)`),
	mark: "the end of a secret's name",
}, {
	name: ObjectStore, port: "8080", open: openstack.NewObjectStorageV1,
	paging:   byMarker("name"),
	conflict: kind.ErrBusy, // a container that is not empty
	usedUp:   pattern.Of(`(?i)reached container limit`),
	mark:     "a container's metadata headers",
}, {
	name: SharedFileSystem, aliases: []string{"sharev2", "share"}, port: "8786", open: openstack.NewSharedFileSystemV2,
	discovery: withoutProject, newest: currentVersion,
	paging:   byOffset, // as gophercloud does (shares.SharePage), which ends at a page that is shorter than requested
	conflict: kind.ErrBusy, usedUp: pattern.Of(`(?i)quota exceeded|exceeds allowed .* quota|LimitExceeded`),
	mark: "the end of the description",
}}

// serviceOfType returns the row of a catalog type.
func serviceOfType(name string) (*service, error) {
	i := slices.IndexFunc(services, func(s service) bool { return s.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: nothing is known of a service %q", kind.ErrNoService, name)
	}
	return &services[i], nil
}

func identity() *service {
	row, _ := serviceOfType(Identity) // Keystone has a row
	return row
}

// paged is the way to get the next page of a collection of the service.
func (s *service) paged(field string) paging {
	if way, ok := s.collections[field]; ok {
		return way
	}
	return s.paging
}
