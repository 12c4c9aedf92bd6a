package virtualmachine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/addressing"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Expand creates
//
//	Port/NAME          in the network, with the security groups
//	Port/NAME-PORT     for each of ports
//	Volume/NAME-root   if there is a rootVolume
//	Volume/NAME-VOLUME for each of volumes that is its own
//	VolumeSnapshotSchedule/NAME-VOLUME for each of those with snapshots
//	Server/NAME        with those ports and volumes
//	FloatingIP/NAME    if there is a floatingIP
//
// and imports the objects that they refer to.
func (r rules) Expand(s *Spec, e *kind.Expansion) {
	network, ok := r.chooseNetwork(s, e)
	if ok = s.Template.Look("spec", e) && ok; !ok {
		return
	}
	machine.Existing(e, "Image", s.Image)
	machine.Existing(e, "Flavor", s.Flavor)
	machine.Existing(e, "KeyPair", s.KeyPair)
	machine.Existing(e, "ServerGroup", s.ServerGroup)
	plug(e.Key.Name, machine.Interface{Network: network, Subnet: s.Subnet, FixedIP: s.FixedIP, SecurityGroups: s.SecurityGroups}, e)
	for _, i := range s.Ports {
		machine.Existing(e, "Network", i.Network)
		plug(partName(e, i.Name), i, e)
	}
	zone := r.zone(s)
	for i, v := range s.Volumes {
		attach(v, i, zone, e)
	}
	if root := s.RootVolume; root != nil {
		machine.Existing(e, "VolumeType", root.Type)
		e.Child("Volume", rootName(e), resource(rootVolume(s, zone)))
	}
	e.Child("Server", e.Key.Name, resource(server(s, zone, e)))
	if s.FloatingIP != nil {
		external := s.FloatingIP.External(e)
		addressing.NoteWay(e, "spec.floatingIP", external, network, strings.Fields(s.Subnet)) // one, or none
		e.Child("FloatingIP", e.Key.Name, resource(fields{"floatingNetworkRef": external, "portRef": e.Key.Name}))
	}
}

// plug adds a port, and finds the other objects that it needs on its network.
func plug(name string, i machine.Interface, e *kind.Expansion) {
	for _, group := range i.SecurityGroups {
		machine.Existing(e, "SecurityGroup", group)
	}
	if i.Subnet != "" {
		e.Existing("Subnet", i.Subnet, machine.ImportIn(i.Subnet, i.Network), "")
	}
	e.Child("Port", name, resource(port(i)))
}

// attach adds the machine's own volume, or finds the referenced one.
func attach(v machine.Volume, at int, zone string, e *kind.Expansion) {
	if v.VolumeRef != "" {
		machine.Existing(e, "Volume", v.VolumeRef)
		return
	}
	machine.Existing(e, "VolumeType", v.Type)
	f := fields{"size": *v.Size}
	f.put("volumeTypeRef", v.Type)
	f.put("availabilityZone", zone)
	if from := v.RestoreFrom; from != nil {
		name, ok := from.Schedule(e.Key.Name, v.Name)
		if !ok {
			e.Problem(fmt.Sprintf("spec.volumes[%d].restoreFrom.group", at), "is given for a machine whose name does not end in a number", "name the machine that is meant")
			return
		}
		source := fields{"scheduleRef": name}
		source.put("before", deref(from.Before))
		f["restoreFrom"] = source
	}
	spec := fields{"resource": f}
	if v.OnDelete == "detach" {
		spec["managedOptions"] = fields{"onDelete": "detach"}
	}
	e.Child("Volume", partName(e, v.Name), fields{"spec": spec})
	if v.Snapshots != nil {
		e.Child("VolumeSnapshotSchedule", partName(e, v.Name), fields{"spec": snapshots(&v, partName(e, v.Name))})
	}
}

// snapshots is the schedule of a volume.
func snapshots(v *machine.Volume, volume string) fields {
	s := v.Snapshots
	f := fields{"volumeRef": volume, "schedule": s.Schedule, "keep": s.Keep, "onDelete": s.Ends(cmp.Or(v.OnDelete, "delete"))}
	f.put("timeZone", s.TimeZone)
	f.put("keepFor", deref(s.KeepFor))
	f.put("type", s.Type)
	f.put("container", deref(s.Container))
	return f
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// portRefs are the ports of the server: the one on its network is the first.
func portRefs(s *Spec, e *kind.Expansion) []fields {
	list := []fields{{"portRef": e.Key.Name}}
	for _, i := range s.Ports {
		list = append(list, fields{"portRef": partName(e, i.Name)})
	}
	return list
}

func volumeRefs(s *Spec, e *kind.Expansion) (list []fields) {
	for _, v := range s.Volumes {
		name := v.VolumeRef
		if name == "" {
			name = partName(e, v.Name)
		}
		list = append(list, fields{"volumeRef": name})
	}
	return list
}

// partName is the name of a part of which the machine can have several.
func partName(e *kind.Expansion, name string) string { return e.Key.Name + "-" + name }

func rootName(e *kind.Expansion) string { return partName(e, machine.RootName) }

// fields is a part of a manifest.
type fields map[string]any

// put sets a field unless it is empty.
func (f fields) put(name, value string) {
	if value != "" {
		f[name] = value
	}
}

func resource(f fields) fields { return fields{"spec": fields{"resource": f}} }

// port asks for one address, and for the cloud's default security group if no
// other is named. K-ORC's ports have neither unless they ask for it.
func port(i machine.Interface) fields {
	address := fields{}
	address.put("subnetRef", i.Subnet)
	address.put("ip", i.FixedIP)
	f := fields{"networkRef": i.Network, "addresses": []fields{address}}
	if i.SecurityGroups != nil {
		f["securityGroupRefs"] = i.SecurityGroups
	} else {
		f["defaultSecurityGroup"] = true
	}
	return f
}

func rootVolume(s *Spec, zone string) fields {
	f := fields{"size": s.RootVolume.Size, "imageRef": s.Image}
	f.put("volumeTypeRef", s.RootVolume.Type)
	f.put("availabilityZone", zone)
	return f
}

func server(s *Spec, zone string, e *kind.Expansion) fields {
	f := fields{"flavorRef": s.Flavor, "ports": portRefs(s, e)}
	if len(s.Volumes) > 0 {
		f["volumes"] = volumeRefs(s, e)
	}
	f.put("description", s.Description)
	f.put("availabilityZone", zone)
	f.put("keypairRef", s.KeyPair)
	if s.RootVolume != nil {
		f["bootVolume"] = fields{"volumeRef": rootName(e)}
	} else {
		f["imageRef"] = s.Image
	}
	if s.ServerGroup != "" {
		f["schedulerHints"] = fields{"serverGroupRef": s.ServerGroup}
	}
	if s.InitScript != nil {
		f["userData"] = userData(s.InitScript)
	}
	if s.ConfigDrive != nil {
		f["configDrive"] = *s.ConfigDrive
	}
	if s.Tags != nil {
		f["tags"] = s.Tags
	}
	var metadata []fields
	for _, key := range slices.Sorted(maps.Keys(s.Metadata)) {
		metadata = append(metadata, fields{"key": key, "value": s.Metadata[key]})
	}
	if metadata != nil {
		f["metadata"] = metadata
	}
	return f
}

// userData refers to the script at its source: a secret is not copied.
func userData(s *machine.InitScript) fields {
	f := fields{"script": true}
	if s.Template {
		f["template"] = true
	}
	if s.SecretRefs != nil {
		f["secretRefs"] = s.SecretRefs
	}
	if s.Certificate != nil {
		of := fields{"cluster": s.Certificate.Cluster, "generation": s.Certificate.Generation}
		if s.Certificate.Use != "" {
			of["use"] = s.Certificate.Use
		}
		f["certificate"] = of
	}
	if s.Group != nil {
		f["group"] = fields{"name": s.Group.Name, "numbers": s.Group.Numbers}
	}
	switch {
	case s.Value != nil:
		f["value"] = *s.Value
	case s.ConfigMapRef != nil:
		f["configMapRef"] = fields{"name": s.ConfigMapRef.Name, "key": s.ConfigMapRef.Key}
	case s.SecretRef != nil:
		f["secretKeyRef"] = fields{"name": s.SecretRef.Name, "key": s.SecretRef.Key}
	}
	return f
}
