package nova

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

var pageWords = []string{"limit", "marker", "sort_key", "sort_dir"}

func (n *Nova) listServers(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		limit, err := n.limit(c)
		if err != nil {
			return nil, err
		}
		keep, err := n.filter(c, detail)
		if err != nil {
			return nil, err
		}
		less, err := serverOrder(c.Query())
		if err != nil {
			return nil, err
		}
		recs := n.servers.Where(keep)
		if wantsDeleted(c) {
			for _, s := range n.gone {
				if keep(s) {
					recs = append(recs, s)
				}
			}
		}
		slices.SortFunc(recs, less)
		id := func(s *Server) string { return s.ID }
		cut, more, err := page(c, recs, limit, id)
		if err != nil {
			return nil, err
		}
		w := n.viewer(c)
		if detail {
			return listOf(c, "servers", "servers/detail", cut, more, id, func(s *Server) any { return w.full(s, false) }), nil
		}
		return listOf(c, "servers", "servers", cut, more, id, w.basic), nil
	}
}

// wantsDeleted reports whether the list includes deleted servers: always with changes-since or,
// from 2.66 on, changes-before; otherwise only if an admin asks for them.
func wantsDeleted(c *call) bool {
	q := c.Query()
	return q.Has("changes-since") || c.minor >= 66 && q.Has("changes-before") || c.Caller.Admin() && (oslo.Truthy(q.Get("deleted")) || strings.EqualFold(q.Get("status"), "deleted"))
}

// sortKeys mirrors schemas/servers.py: VALID_SORT_KEYS.
var sortKeys = []string{"access_ip_v4", "access_ip_v6", "auto_disk_config", "availability_zone", "config_drive", "created_at", "display_description", "display_name",
	"host", "hostname", "image_ref", "instance_type_id", "kernel_id", "key_name", "launch_index", "launched_at", "locked_by", "node", "power_state", "progress",
	"project_id", "ramdisk_id", "root_device_name", "task_state", "terminated_at", "updated_at", "user_id", "uuid", "vm_state"}

var sortable = map[string]func(a, b *Server) int{
	"created_at":          func(a, b *Server) int { return a.Created.Compare(b.Created) },
	"updated_at":          func(a, b *Server) int { return a.Updated.Compare(b.Updated) },
	"display_name":        func(a, b *Server) int { return strings.Compare(a.Name, b.Name) },
	"uuid":                func(a, b *Server) int { return strings.Compare(a.ID, b.ID) },
	"vm_state":            func(a, b *Server) int { return strings.Compare(a.VMState, b.VMState) },
	"task_state":          func(a, b *Server) int { return strings.Compare(a.Task, b.Task) },
	"host":                func(a, b *Server) int { return strings.Compare(a.Host, b.Host) },
	"availability_zone":   func(a, b *Server) int { return strings.Compare(a.Zone, b.Zone) },
	"power_state":         func(a, b *Server) int { return a.Power - b.Power },
	"launched_at":         func(a, b *Server) int { return a.Launched.Compare(b.Launched) },
	"launch_index":        func(a, b *Server) int { return a.launchIndex - b.launchIndex },
	"project_id":          func(a, b *Server) int { return strings.Compare(a.Project, b.Project) },
	"user_id":             func(a, b *Server) int { return strings.Compare(a.User, b.User) },
	"image_ref":           func(a, b *Server) int { return strings.Compare(a.Image, b.Image) },
	"instance_type_id":    func(a, b *Server) int { return strings.Compare(a.Flavor.ID, b.Flavor.ID) },
	"display_description": func(a, b *Server) int { return strings.Compare(deref(a.Description), deref(b.Description)) },
	"key_name":            func(a, b *Server) int { return strings.Compare(deref(a.Key), deref(b.Key)) },
	"hostname":            func(a, b *Server) int { return strings.Compare(a.Hostname, b.Hostname) },
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// serverOrder returns the comparison that sorts a list. The default is newest first. Keys that Nova knows and
// the simulator does not implement are ignored.
func serverOrder(q url.Values) (func(a, b *Server) int, error) {
	keys, dirs := q["sort_key"], q["sort_dir"]
	for _, dir := range dirs {
		if dir != "asc" && dir != "desc" {
			return nil, badRequest("Invalid input received: Unknown sort direction, must be 'desc' or 'asc'")
		}
	}
	if len(dirs) > len(keys) && len(keys) > 0 {
		return nil, badRequest("Sort direction size exceeds sort key size")
	}
	var by []func(a, b *Server) int
	for i, key := range keys {
		if !slices.Contains(sortKeys, key) {
			return nil, badRequest("Invalid input for query parameters sort_key. Value: %s. %s is not one of %s", key, pyjson.Repr(key), pyjson.Repr(sortKeys))
		}
		order, ok := sortable[key]
		if !ok {
			continue
		}
		dir := "desc"
		if len(dirs) > 0 {
			dir = dirs[min(i, len(dirs)-1)]
		}
		if dir == "desc" {
			asc := order
			order = func(a, b *Server) int { return asc(b, a) }
		}
		by = append(by, order)
	}
	return func(a, b *Server) int {
		for _, order := range by {
			if v := order(a, b); v != 0 {
				return v
			}
		}
		return cmp.Or(b.Created.Compare(a.Created), b.number-a.number)
	}, nil
}
