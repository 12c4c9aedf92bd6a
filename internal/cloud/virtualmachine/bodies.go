package virtualmachine

import (
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

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
// other is named: K-ORC's ports have none of either if they ask for none.
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

func server(s *Spec, e *kind.Expansion) fields {
	f := fields{"flavorRef": s.Flavor, "ports": portRefs(s, e)}
	if len(s.Volumes) > 0 {
		f["volumes"] = volumeRefs(s, e)
	}
	f.put("description", s.Description)
	f.put("availabilityZone", zone(s, e))
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

// userData refers to the script where it is: a secret is not copied.
func userData(s *machine.InitScript) fields {
	f := fields{"script": true}
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
