package nova

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// serverView mirrors nova/api/openstack/compute/views/servers.py: show. Attributes that
// depend on a microversion or a right are in pointers; a nil pointer omits them.
type serverView struct {
	ID         string               `json:"id"`
	Name       string               `json:"name"`
	Status     string               `json:"status"`
	TenantID   string               `json:"tenant_id"`
	UserID     string               `json:"user_id"`
	Metadata   map[string]string    `json:"metadata"`
	HostID     string               `json:"hostId"`
	Image      any                  `json:"image"`
	Flavor     any                  `json:"flavor"`
	Created    string               `json:"created"`
	Updated    string               `json:"updated"`
	Addresses  map[string][]address `json:"addresses"`
	AccessIPv4 string               `json:"accessIPv4"`
	AccessIPv6 string               `json:"accessIPv6"`
	Links      []any                `json:"links"`
	DiskConfig string               `json:"OS-DCF:diskConfig"`
	Fault      *fault               `json:"fault,omitempty"`
	Progress   *int                 `json:"progress,omitempty"`
	*usageAttrs
	*placedAttrs
	*adminAttrs
	*hostnameAttr
	*securityAttr
	*stateAttrs
	*lockedAttr
	*lockReasonAttr
	*descriptionAttr
	*tagsAttr
	*trustedAttr
	*hostStatusAttr
	*groupsAttr
	*rebuiltAttrs
}

type usageAttrs struct {
	Zone        string  `json:"OS-EXT-AZ:availability_zone"`
	ConfigDrive string  `json:"config_drive"`
	KeyName     *string `json:"key_name"`
	Launched    *string `json:"OS-SRV-USG:launched_at"`
	Terminated  *string `json:"OS-SRV-USG:terminated_at"`
}

type stateAttrs struct {
	Task    *string `json:"OS-EXT-STS:task_state"`
	VMState string  `json:"OS-EXT-STS:vm_state"`
	Power   int     `json:"OS-EXT-STS:power_state"`
	Volumes []any   `json:"os-extended-volumes:volumes_attached"`
}

type placedAttrs struct {
	Host         *string `json:"OS-EXT-SRV-ATTR:host"`
	InstanceName string  `json:"OS-EXT-SRV-ATTR:instance_name"`
	Hypervisor   *string `json:"OS-EXT-SRV-ATTR:hypervisor_hostname"`
}

type adminAttrs struct {
	Reservation string  `json:"OS-EXT-SRV-ATTR:reservation_id"`
	LaunchIndex int     `json:"OS-EXT-SRV-ATTR:launch_index"`
	Kernel      string  `json:"OS-EXT-SRV-ATTR:kernel_id"`
	Ramdisk     string  `json:"OS-EXT-SRV-ATTR:ramdisk_id"`
	RootDevice  string  `json:"OS-EXT-SRV-ATTR:root_device_name"`
	UserData    *string `json:"OS-EXT-SRV-ATTR:user_data"`
}

type hostnameAttr struct {
	Hostname string `json:"OS-EXT-SRV-ATTR:hostname"`
}

type securityAttr struct {
	Groups []named `json:"security_groups"`
}

type named struct {
	Name string `json:"name"`
}

type lockedAttr struct {
	Locked bool `json:"locked"`
}

type lockReasonAttr struct {
	Reason *string `json:"locked_reason"`
}

type descriptionAttr struct {
	Description *string `json:"description"`
}

type tagsAttr struct {
	Tags []string `json:"tags"`
}

type trustedAttr struct {
	Trusted []string `json:"trusted_image_certificates"`
}

type hostStatusAttr struct {
	HostStatus string `json:"host_status"`
}

type groupsAttr struct {
	ServerGroups []string `json:"server_groups"`
}

// rebuiltAttrs are attributes that only the answer to a rebuild has.
type rebuiltAttrs struct {
	AdminPass string  `json:"adminPass"`
	UserData  *string `json:"user_data"`
}

// viewer makes the views of servers for one answer. It caches the names of security groups.
type viewer struct {
	n      *Nova
	c      *call
	groups map[string]string
}

func (n *Nova) viewer(c *call) *viewer { return &viewer{n: n, c: c, groups: map[string]string{}} }

func (w *viewer) basic(s *Server) any {
	return map[string]any{"id": s.ID, "name": s.Name, "links": links(w.c, "servers/"+s.ID)}
}

// full returns the view of a server. single is set for GET of one server, which shows more attributes.
func (w *viewer) full(s *Server, single bool) *serverView {
	minor := w.c.minor
	v := &serverView{ID: s.ID, Name: s.Name, Status: s.status(), TenantID: s.Project, UserID: s.User, Metadata: s.Metadata, HostID: s.hostID(),
		Image: w.image(s), Flavor: w.flavor(s), Created: oslo.Stamp(s.Created), Updated: oslo.Stamp(s.Updated), Addresses: w.n.addresses(s),
		AccessIPv4: s.AccessIPv4, AccessIPv6: s.AccessIPv6, Links: links(w.c, "servers/"+s.ID), DiskConfig: s.DiskConfig,
		usageAttrs: &usageAttrs{s.Zone, s.ConfigDrive, s.Key, micro(s.Launched), micro(s.Terminated)},
		stateAttrs: &stateAttrs{orNil(s.Task), s.VMState, s.Power, s.volumesView(minor)}}
	if s.VMState == offloaded {
		v.Zone = ""
	}
	if status := v.Status; (status == "ERROR" || status == "DELETED") && s.Fault != nil {
		f := *s.Fault
		if !w.c.Caller.Admin() || !single {
			f.Details = ""
		}
		v.Fault = &f
	}
	if word := v.Status; word == "ACTIVE" || word == "BUILD" || word == "REBUILD" || word == "RESIZE" || word == "VERIFY_RESIZE" || word == "REVERT_RESIZE" || word == "MIGRATING" {
		v.Progress = new(int)
	}
	w.later(v, s, single)
	return v
}

// written returns the view of a server in the answer to a write. Before 2.75, it has fewer attributes.
func (w *viewer) written(s *Server) *serverView {
	v := w.full(s, true)
	if w.c.minor < 75 {
		v.usageAttrs, v.stateAttrs, v.placedAttrs, v.adminAttrs, v.hostnameAttr, v.securityAttr, v.hostStatusAttr = nil, nil, nil, nil, nil, nil, nil
		for name, list := range v.Addresses {
			for i := range list {
				v.Addresses[name][i].Type, v.Addresses[name][i].MAC = "", ""
			}
		}
	}
	return v
}

// later adds the attributes that depend on microversions and rights.
func (w *viewer) later(v *serverView, s *Server, single bool) {
	minor, admin := w.c.minor, w.c.Caller.Admin()
	if admin {
		v.placedAttrs = &placedAttrs{orNil(s.Host), s.instanceName(), orNil(s.Host)}
		if minor >= 3 {
			v.adminAttrs = &adminAttrs{Reservation: s.reservation, LaunchIndex: s.launchIndex, RootDevice: "/dev/vda", UserData: s.UserData}
		}
		if minor >= 16 {
			v.hostStatusAttr = &hostStatusAttr{"UP"}
			if s.Host == "" {
				v.HostStatus = ""
			}
		}
	}
	if admin && minor >= 3 || minor >= 90 {
		v.hostnameAttr = &hostnameAttr{s.Hostname}
	}
	if names := w.securityGroups(s); len(names) > 0 {
		v.securityAttr = &securityAttr{names}
	}
	if minor >= 9 {
		v.lockedAttr = &lockedAttr{s.Locked}
	}
	if minor >= 73 {
		v.lockReasonAttr = &lockReasonAttr{s.LockReason}
	}
	if minor >= 19 {
		v.descriptionAttr = &descriptionAttr{s.Description}
	}
	if minor >= 26 {
		v.tagsAttr = &tagsAttr{append([]string{}, s.Tags...)}
	}
	if minor >= 63 {
		v.trustedAttr = &trustedAttr{}
	}
	if minor >= 71 && single {
		v.groupsAttr = &groupsAttr{[]string{}}
		if _, ok := w.n.groups.Get(s.group); ok {
			v.ServerGroups = append(v.ServerGroups, s.group)
		}
	}
}

func (s *Server) instanceName() string { return fmt.Sprintf("instance-%08x", s.number) }

func (w *viewer) image(s *Server) any {
	if s.Image == "" {
		return ""
	}
	return map[string]any{"id": s.Image, "links": bookmark(w.c, "images/"+s.Image)}
}

func (w *viewer) flavor(s *Server) any {
	f := &s.Flavor
	if w.c.minor < 47 {
		return map[string]any{"id": f.ID, "links": bookmark(w.c, "flavors/"+f.ID)}
	}
	return embeddedFlavor{f.VCPUs, f.RAM, f.Disk, f.Ephemeral, f.Swap, f.Name, f.Specs}
}

type embeddedFlavor struct {
	VCPUs     int               `json:"vcpus"`
	RAM       int               `json:"ram"`
	Disk      int               `json:"disk"`
	Ephemeral int               `json:"ephemeral"`
	Swap      int               `json:"swap"`
	Name      string            `json:"original_name"`
	Specs     map[string]string `json:"extra_specs"`
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func micro(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := oslo.StampMicro(t.Truncate(time.Second))
	return &s
}
