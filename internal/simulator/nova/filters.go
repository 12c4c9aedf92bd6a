package nova

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// memberFilters are the filters that a member may use, each with its first microversion. Nova silently ignores
// other filters in requests of members (servers.py: remove_invalid_options).
var memberFilters = map[string]int{"reservation_id": 1, "name": 1, "status": 1, "image": 1, "flavor": 1, "ip": 1, "changes-since": 1, "ip6": 5,
	"tags": 26, "tags-any": 26, "not-tags": 26, "not-tags-any": 26, "changes-before": 66, "locked": 73,
	"availability_zone": 83, "config_drive": 83, "key_name": 83, "created_at": 83, "launched_at": 83, "terminated_at": 83, "power_state": 83, "task_state": 83,
	"vm_state": 83, "progress": 83, "user_id": 83, "hostname": 90}

func (c *call) mayFilter(key string) bool {
	since, known := memberFilters[key]
	return c.Caller.Admin() || known && c.minor >= since
}

var adminFilters = []string{"tenant_id", "project_id", "uuid", "host", "node", "deleted", "display_name", "description", "hostname", "access_ip_v4", "access_ip_v6",
	"root_device_name", "kernel_id", "ramdisk_id", "launch_index", "image_ref", "instance_type_id", "all_tenants", "soft_deleted", "auto_disk_config", "block_device_mapping",
	"services", "metadata", "system_metadata", "display_description", "device_name", "disk_config", "locked_by", "cleaned", "cell_name", "vm_mode", "default_ephemeral_device",
	"default_swap_device", "info_cache", "fault", "security_groups", "pci_devices"}

// filter returns the condition of a list request (servers.py: _get_servers). Members see only the servers of their
// project. See wantsDeleted about deleted servers.
func (n *Nova) filter(c *call, detail bool) (func(*Server) bool, error) {
	q := c.Query()
	if err := checkQuery(c, q); err != nil {
		return nil, err
	}
	all := false
	if w, ok := q["all_tenants"]; ok {
		all = w[0] == "" || oslo.Truthy(w[0])
		if !all && !slices.Contains([]string{"0", "false", "f", "no", "off", "n"}, strings.ToLower(w[0])) {
			return nil, badRequest("Unrecognized value '%s', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'", w[0])
		}
		if all && !c.Caller.Admin() {
			rule := "servers:index:get_all_tenants"
			if detail {
				rule = "servers:detail:get_all_tenants"
			}
			return nil, disallowed(rule)
		}
	}
	tests := []func(*Server) bool{func(s *Server) bool { return all || s.Project == c.Caller.ProjectID }}
	for key, words := range q {
		if slices.Contains(pageWords, key) || !c.mayFilter(key) {
			continue
		}
		test, err := n.test(c, key, words)
		if err != nil {
			return nil, err
		}
		if test != nil {
			tests = append(tests, test)
		}
	}
	return func(s *Server) bool {
		for _, test := range tests {
			if !test(s) {
				return false
			}
		}
		return true
	}, nil
}

// checkQuery refuses unknown parameters, from 2.75 on.
func checkQuery(c *call, q url.Values) error {
	if c.minor < 75 {
		return nil
	}
	var unknown []string
	for key := range q {
		if !strings.HasPrefix(key, "_") && memberFilters[key] == 0 && !slices.Contains(pageWords, key) && !slices.Contains(adminFilters, key) {
			unknown = append(unknown, pyjson.Repr(key))
		}
	}
	slices.Sort(unknown)
	switch len(unknown) {
	case 0:
		return nil
	case 1:
		return badRequest("%s does not match any of the regexes: '^_'", unknown[0])
	}
	return badRequest("%s do not match any of the regexes: '^_'", strings.Join(unknown, ", "))
}

// test returns the condition of one filter, or nil if the filter is ignored.
func (n *Nova) test(c *call, key string, words []string) (func(*Server) bool, error) {
	w := words[len(words)-1]
	equal := func(get func(*Server) string) (func(*Server) bool, error) {
		return func(s *Server) bool { return get(s) == w }, nil
	}
	switch key {
	case "name", "display_name":
		return matching(key, w, func(s *Server) []string { return []string{s.Name} })
	case "ip", "ip6":
		return matching(key, w, func(s *Server) []string { return n.ips(s, key == "ip6") })
	case "status":
		return statusTest(c, words)
	case "changes-since", "changes-before":
		return changesTest(c, key, w)
	case "tags", "tags-any", "not-tags", "not-tags-any":
		return tagsTest(c, key, w), nil
	case "image", "image_ref":
		return equal(func(s *Server) string { return s.Image })
	case "flavor":
		return equal(func(s *Server) string { return s.Flavor.ID })
	case "host", "node":
		return equal(func(s *Server) string { return s.Host })
	case "uuid":
		return func(s *Server) bool { return slices.Contains(words, s.ID) }, nil
	case "tenant_id", "project_id":
		return equal(func(s *Server) string { return s.Project })
	case "user_id":
		return equal(func(s *Server) string { return s.User })
	case "reservation_id":
		return equal(func(s *Server) string { return s.reservation })
	case "availability_zone":
		return equal(func(s *Server) string { return s.Zone })
	case "key_name":
		return equal(func(s *Server) string { return deref(s.Key) })
	case "vm_state":
		return equal(func(s *Server) string { return s.VMState })
	case "task_state":
		return equal(func(s *Server) string { return s.Task })
	case "power_state":
		return equal(func(s *Server) string { return fmt.Sprint(s.Power) })
	case "hostname":
		return equal(func(s *Server) string { return s.Hostname })
	case "description", "display_description":
		return matching(key, w, func(s *Server) []string { return []string{deref(s.Description)} })
	case "config_drive":
		return func(s *Server) bool { return (s.ConfigDrive == "True") == oslo.Truthy(w) }, nil
	case "locked":
		if c.minor < 73 {
			return nil, nil
		}
		return func(s *Server) bool { return s.Locked == oslo.Truthy(w) }, nil
	case "deleted":
		return func(s *Server) bool { return s.deleted == oslo.Truthy(w) }, nil
	}
	return nil, nil
}

// matching returns the condition of a filter that the database evaluates as a regular expression.
func matching(key, word string, get func(*Server) []string) (func(*Server) bool, error) {
	re, err := regexp.Compile("(?i)" + word)
	if err != nil {
		return nil, badRequest("Invalid input for query parameters %s. Value: %s. %s is not a 'regex'", key, word, pyjson.Repr(word))
	}
	return func(s *Server) bool { return slices.ContainsFunc(get(s), re.MatchString) }, nil
}

func (n *Nova) ips(s *Server, six bool) []string {
	var out []string
	for _, list := range n.addresses(s) {
		for _, a := range list {
			if a.Version == 6 == six {
				out = append(out, a.Addr)
			}
		}
	}
	return out
}

func statusTest(c *call, words []string) (func(*Server) bool, error) {
	var want []string
	for _, w := range words {
		w = strings.ToUpper(w)
		if c.minor >= 38 && !knownStatus(w) {
			return nil, badRequest("Invalid status value")
		}
		if w == "DELETED" && !c.Caller.Admin() {
			return nil, forbidden("Only administrators may list deleted instances")
		}
		want = append(want, w)
	}
	return func(s *Server) bool { return slices.Contains(want, s.status()) }, nil
}

func knownStatus(word string) bool {
	for _, name := range statusNames {
		if name == word {
			return true
		}
	}
	return slices.Contains([]string{"REBUILD", "REBOOT", "HARD_REBOOT", "PASSWORD", "MIGRATING", "REVERT_RESIZE", "RESIZE", "SOFT_DELETED", "UNKNOWN"}, word)
}

func changesTest(c *call, key, word string) (func(*Server) bool, error) {
	if key == "changes-before" && c.minor < 66 {
		return nil, nil
	}
	at, err := oslo.ParseISO(word)
	if err != nil {
		return nil, badRequest("Invalid input for query parameters %s. Value: %s. %s is not a 'date-time'", key, word, pyjson.Repr(word))
	}
	at = at.Truncate(time.Second)
	if key == "changes-since" {
		return func(s *Server) bool { return !s.Updated.Truncate(time.Second).Before(at) }, nil
	}
	return func(s *Server) bool { return !s.Updated.Truncate(time.Second).After(at) }, nil
}

func tagsTest(c *call, key, word string) func(*Server) bool {
	if c.minor < 26 {
		return nil
	}
	tags := strings.Split(word, ",")
	all := func(s *Server) bool {
		return !slices.ContainsFunc(tags, func(t string) bool { return !slices.Contains(s.Tags, t) })
	}
	anyOf := func(s *Server) bool {
		return slices.ContainsFunc(tags, func(t string) bool { return slices.Contains(s.Tags, t) })
	}
	switch key {
	case "tags":
		return all
	case "tags-any":
		return anyOf
	case "not-tags":
		return func(s *Server) bool { return !all(s) }
	}
	return func(s *Server) bool { return !anyOf(s) }
}
