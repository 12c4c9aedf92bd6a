package virtualmachinegroup

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// fields are a part of a manifest, as in JSON.
type fields map[string]any

// member is a server with its ports and volumes, in the form of a template.
type member struct {
	template  fields
	group     string // name of the server group
	parts     []kind.ObjectName
	described bool // the server has another description than Nova's default, which is the name
}

// gatherer reads members from exported objects. From their specs, it removes each field that a template can
// express. If any field remains, the server is not a member.
type gatherer struct {
	of map[kind.ObjectName]fields
	member
	key kind.ObjectName // kind and name of the server
	ok  bool
}

// Gather finds servers NAME-0, NAME-1 and so on that are in one server group and differ only in their numbers.
func (rules) Gather(of []kind.Exported) (found []kind.Gathered) {
	specs := map[kind.ObjectName]fields{}
	for _, o := range of {
		specs[o.ObjectName] = o.Spec
	}
	type series struct{ name, group string }
	members := map[series]map[int]member{}
	for _, o := range of {
		name, number, ok := numbered(o.Name)
		if o.Kind != "Server" || !ok {
			continue
		}
		g := gatherer{of: specs, key: o.ObjectName, ok: true}
		if g.read(); !g.ok || g.group == "" {
			continue
		}
		s := series{name, g.group}
		if members[s] == nil {
			members[s] = map[int]member{}
		}
		members[s][number] = g.member
	}
	for s, list := range members {
		if one, ok := alike(list); ok {
			one.Name = s.name
			one.Spec.(*Spec).ServerGroup = s.group
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b kind.Gathered) int { return natural.Compare(a.Name, b.Name) })
	return found
}

// numbered splits the name of a member into the group's name and the number. It is the inverse of the names
// that [rules.Expand] makes.
func numbered(name string) (of string, number int, ok bool) {
	at := strings.LastIndexByte(name, '-')
	if at < 1 {
		return "", 0, false
	}
	number, err := strconv.Atoi(name[at+1:])
	return name[:at], number, err == nil && strconv.Itoa(number) == name[at+1:]
}

// alike returns a group of the members, if they differ only in their numbers and the numbers count from 0.
func alike(list map[int]member) (one kind.Gathered, ok bool) {
	count, first := len(list), list[0]
	if count < 2 {
		return one, false
	}
	zones, even := unzone(list)
	for i := range count {
		m, there := list[i]
		if !there || !even || m.described != first.described || !reflect.DeepEqual(m.template, first.template) {
			return one, false
		}
		one.Parts = append(one.Parts, m.parts...)
	}
	spec := &Spec{Replicas: &count, Zones: zones}
	text, err := json.Marshal(first.template)
	if err != nil || json.Unmarshal(text, &spec.Template) != nil {
		return one, false
	}
	if !first.described { // Nova's default is each server's own name
		one.Ignore = []string{"spec.resource.description"}
	}
	one.Spec = spec
	one.Lost = []kind.Note{{Field: "spec.template", Text: "the manifest of a group does not contain the addresses of its machines; a machine keeps its address as long as its port exists"}}
	return one, true
}

// unzone removes the zones from the templates, if the members are in several zones. It returns true if the
// members have the zones that [machine.Spread] would give them, or are all in the same zone.
func unzone(list map[int]member) (zones []string, even bool) {
	for i := range len(list) {
		zone, _ := list[i].template["zone"].(string)
		if !slices.Contains(zones, zone) {
			zones = append(zones, zone)
		}
	}
	if len(zones) < 2 {
		return nil, true
	}
	for i, zone := range machine.Spread(len(zones), len(list)) {
		if zones[zone] == "" || list[i].template["zone"] != zones[zone] {
			return nil, false
		}
	}
	for _, m := range list {
		delete(m.template, "zone")
	}
	return zones, true
}

// read derives a template from a server, its ports and its volumes.
func (g *gatherer) read() {
	g.template = fields{}
	spec := g.part(g.key)
	ports, volumes := g.refs(spec, "ports", "portRef"), g.refs(spec, "volumes", "volumeRef")
	boot, boots := spec["bootVolume"]
	delete(spec, "bootVolume")
	hints, _ := spec["schedulerHints"].(map[string]any)
	hints = maps.Clone(hints)
	g.group, _ = hints["serverGroupRef"].(string)
	delete(hints, "serverGroupRef")
	delete(spec, "schedulerHints")
	move(spec, g.template, "flavorRef=flavor imageRef=image keypairRef=keyPair availabilityZone=zone configDrive=configDrive tags=tags description=description")
	if g.described = g.template["description"] != g.key.Name; !g.described {
		delete(g.template, "description")
	}
	g.metadata(spec)
	for _, name := range ports {
		g.port(name)
	}
	for _, name := range volumes {
		g.volume(name, false)
	}
	if boots {
		for _, name := range g.refs(fields{"boot": []any{boot}}, "boot", "volumeRef") {
			g.volume(name, true)
		}
	}
	g.ok = g.ok && len(spec) == 0 && len(hints) == 0 && g.template["network"] != nil
	for _, list := range []string{"ports", "volumes"} {
		if parts, ok := g.template[list].([]fields); ok {
			slices.SortFunc(parts, func(a, b fields) int { return natural.Compare(a["name"].(string), b["name"].(string)) })
		}
	}
}

// part records an object as a part of the machine and returns a copy of its spec. The caller may change the
// copy.
func (g *gatherer) part(key kind.ObjectName) fields {
	spec, there := g.of[key]
	g.ok = g.ok && there
	g.parts = append(g.parts, key)
	return maps.Clone(spec)
}

// suffix returns the name of a part without the prefix, which is the name of the machine.
func (g *gatherer) suffix(name string) string {
	rest, ok := strings.CutPrefix(name, g.key.Name+"-")
	g.ok = g.ok && ok && rest != ""
	return rest
}

func (g *gatherer) port(name string) {
	spec, to := g.part(kind.ObjectName{Kind: "Port", Name: name}), g.template
	if name != g.key.Name {
		to = fields{"name": g.suffix(name)}
		list, _ := g.template["ports"].([]fields)
		g.template["ports"] = append(list, to)
	}
	if spec["dnsName"] == g.key.Name { // Nova writes the name if Neutron supports names in DNS
		delete(spec, "dnsName")
	}
	addresses, _ := spec["addresses"].([]any)
	delete(spec, "addresses")
	g.ok = g.ok && len(addresses) == 1 && spec["securityGroupRefs"] != nil
	for _, a := range addresses {
		address, _ := a.(map[string]any)
		address = maps.Clone(address)
		delete(address, "ip")
		move(address, to, "subnetRef=subnet")
		g.ok = g.ok && len(address) == 0
	}
	move(spec, to, "networkRef=network securityGroupRefs=securityGroups")
	g.ok = g.ok && len(spec) == 0
}

func (g *gatherer) volume(name string, root bool) {
	spec, to := g.part(kind.ObjectName{Kind: "Volume", Name: name}), fields{}
	suffix := g.suffix(name)
	if g.ok = g.ok && (suffix == machine.RootName) == root; root {
		move(spec, g.template, "imageRef=image")
		g.template["rootVolume"] = to
	} else {
		to["name"] = suffix
		list, _ := g.template["volumes"].([]fields)
		g.template["volumes"] = append(list, to)
	}
	g.ok = g.ok && reflect.DeepEqual(spec["availabilityZone"], g.template["zone"])
	delete(spec, "availabilityZone")
	move(spec, to, "size=size volumeTypeRef=type")
	g.ok = g.ok && len(spec) == 0
}

func (g *gatherer) metadata(spec fields) {
	list, _ := spec["metadata"].([]any)
	delete(spec, "metadata")
	all := fields{}
	for _, entry := range list {
		pair, _ := entry.(map[string]any)
		key, _ := pair["key"].(string)
		all[key] = pair["value"]
	}
	if len(all) > 0 {
		g.template["metadata"] = all
	}
}

// refs removes a list of references from a spec and returns the names. If an element has other fields, the
// server is not a member.
func (g *gatherer) refs(spec fields, field, ref string) (names []string) {
	list, _ := spec[field].([]any)
	delete(spec, field)
	for _, entry := range list {
		one, _ := entry.(map[string]any)
		name, ok := one[ref].(string)
		g.ok = g.ok && ok && len(one) == 1
		names = append(names, name)
	}
	return names
}

// move moves fields from one part of a manifest to another. Each word of names is FROM=TO.
func move(from, to fields, names string) {
	for pair := range strings.FieldsSeq(names) {
		old, name, _ := strings.Cut(pair, "=")
		if value, there := from[old]; there {
			to[name] = value
			delete(from, old)
		}
	}
}
