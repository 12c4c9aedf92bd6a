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
//	Port/NAME                           a port in the network, with the security groups
//	Port/NAME-PORT                      a port for each element of ports
//	Volume/NAME-root                    the root volume, if there is a rootVolume
//	Volume/NAME-VOLUME                  a volume for each element of volumes without volumeRef
//	VolumeSnapshotSchedule/NAME-VOLUME  a schedule for each such volume with snapshots
//	Server/NAME                         a server with those ports and volumes
//	FloatingIP/NAME                     a floating IP, if there is a floatingIP
//
// and imports the objects to which they refer.
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
		addressing.NoteWay(e, "spec.floatingIP", external, network, strings.Fields(s.Subnet)) // a list of one name, or an empty one
		e.Child("FloatingIP", e.Key.Name, resource(fields{"floatingNetworkRef": external, "portRef": e.Key.Name}))
	}
}

// plug adds a port, and imports the other objects that the port needs on its
// network.
func plug(name string, i machine.Interface, e *kind.Expansion) {
	for _, group := range i.SecurityGroups {
		machine.Existing(e, "SecurityGroup", group)
	}
	if i.Subnet != "" {
		e.Existing("Subnet", i.Subnet, machine.ImportIn(i.Subnet, i.Network), "")
	}
	e.Child("Port", name, resource(port(i)))
}

// attach adds a volume of the machine. If the manifest refers to an existing
// volume, attach imports that one.
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
			e.Problem(fmt.Sprintf("spec.volumes[%d].restoreFrom.group", at), "is given for a machine whose name does not end in a number", "name the machine")
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

// snapshots is the manifest of the schedule for a volume.
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

// portRefs are the references to the ports of the server. The first one is the
// port on the machine's network.
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

// partName is the name of an object of which a machine can have several.
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

// port returns a port that requests one address. If no security group is named,
// it also requests the cloud's default group. Without these requests, a Port of
// K-ORC has neither.
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

// userData refers to the Secret or ConfigMap that holds the script, so that a
// secret is not copied.
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
