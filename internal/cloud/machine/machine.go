// Package machine describes a machine, as a single one or as the template of a group: the fields,
// and the mistakes in them. It is no kind. The kinds VirtualMachine and VirtualMachineGroup share
// it.
package machine

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Template is a machine. The fields image, flavor, network, subnet, keyPair, securityGroups and
// serverGroup are names. A name means an object of that kind in the repository, if there is one, and
// otherwise an object in the cloud. An ID can be used if the cloud's object has one.
type Template struct {
	Image          string            `json:"image" rule:"required,min=1" doc:"Image to boot from."`
	Flavor         string            `json:"flavor" rule:"required,min=1" doc:"Size of the machine."`
	InitScript     *InitScript       `json:"initScript,omitempty" doc:"Script that the machine runs at its first boot."`
	Description    string            `json:"description,omitempty" rule:"lines,max=255" doc:"Free text."`
	Network        string            `json:"network,omitempty" doc:"Network of the machine. If left out, the stack's default, or the only network."`
	Subnet         string            `json:"subnet,omitempty" doc:"Subnet of its address; the cloud decides if left out."`
	FixedIP        string            `json:"fixedIP,omitempty" rule:"format=ip" doc:"Address of the machine on the network; the cloud decides if left out."`
	FloatingIP     *FloatingIP       `json:"floatingIP,omitempty" doc:"Address that can be reached from outside, as a FloatingIP."`
	SecurityGroups []string          `json:"securityGroups,omitempty" rule:"unique,max=64" doc:"Security groups, which decide who may connect to the machine; the cloud's default group if left out."`
	KeyPair        string            `json:"keyPair,omitempty" doc:"Key pair for SSH."`
	Zone           string            `json:"zone,omitempty" doc:"Availability zone, or a name that the stack's defaults.zones maps to one."`
	RootVolume     *RootVolume       `json:"rootVolume,omitempty" doc:"Volume to boot from, in place of the flavor's disk. It stays when the machine is replaced."`
	Volumes        []Volume          `json:"volumes,omitempty" rule:"max=24,key=name" doc:"All further disks."`
	Ports          []Interface       `json:"ports,omitempty" rule:"max=16,key=name" doc:"Additional network interfaces, besides the interface on network."`
	ConfigDrive    *bool             `json:"configDrive,omitempty" doc:"Whether the machine gets the script on a drive; the cloud decides if left out. Clouds and images may require a drive. If the machine has a drive although this is false, a plan notes it, and the machine is not replaced."`
	Tags           []string          `json:"tags,omitempty" rule:"max=50,unique" doc:"Tags of the server."`
	Metadata       map[string]string `json:"metadata,omitempty" rule:"lines" doc:"Metadata of the server."`
}

// InitScript says where a machine's first script comes from.
type InitScript struct {
	Value        *string  `json:"value,omitempty" rule:"secret" doc:"The script itself."`
	ConfigMapRef *DataRef `json:"configMapRef,omitempty" doc:"Entry of a ConfigMap with the text."`
	SecretRef    *DataRef `json:"secretRef,omitempty" doc:"Entry of a Secret with the text."`
	Template     bool     `json:"template,omitempty" doc:"Whether the text is a template. The agent fills in a template when it creates the machine, with values of the machine and its group. These are {{name}}, {{ordinal}}, {{address}}, {{group}}, {{replicas}}, {{secrets}}, {{certificate}}, and {{#peers}}...{{/peers}} for each machine of the group."`
	Group        *Group   `json:"group,omitempty" doc:"The machine's peers. If left out, the machines of a VirtualMachineGroup are each other's peers."`
	Given        `json:",inline"`
}

// DataRef names a key in the data of a ConfigMap or Secret.
type DataRef struct {
	Name string `json:"name" rule:"required,min=1" doc:"Name of the object."`
	Key  string `json:"key" rule:"required,min=1" doc:"Key in the data of that object."`
}

// FloatingIP requests an address that can be reached from outside.
type FloatingIP struct {
	Network string `json:"network,omitempty" doc:"External network of the address; if left out, the only external network."`
}

// RootVolume is the disk a machine boots from.
type RootVolume struct {
	Size int    `json:"size" rule:"required,min=1" doc:"Size in GiB."`
	Type string `json:"type,omitempty" doc:"Volume type; the cloud decides if left out."`
}

// Validate reports mistakes in the template at a path such as spec.
func (t *Template) Validate(at string, r *kind.Report) {
	for key := range t.Metadata {
		if len(key) == 0 || len(key) > 255 || len(t.Metadata[key]) > 255 {
			r.Problem(at+".metadata["+key+"]", "is too long or empty", "use 1 to 255 characters for the key, at most 255 for the value")
		}
	}
	t.validateMore(at, r)
	s := t.InitScript
	if s == nil {
		return
	}
	script.Source(at+".initScript", "give one of value, configMapRef and secretRef", r, s.Value != nil, s.ConfigMapRef != nil, s.SecretRef != nil)
	if s.Value != nil {
		script.Text(at+".initScript.value", *s.Value, r)
		if s.Template {
			checkTemplate(at+".initScript.value", *s.Value, r)
		}
	}
	s.Group.Validate(at+".initScript.group", s.Template, r)
	s.Given.Validate(at+".initScript", s.Template, r)
}

// Look reports references of the template to objects that are not in the repository. ok is false if
// there are any.
func (t *Template) Look(at string, e *kind.Expansion) (ok bool) {
	s := t.InitScript
	switch {
	case s == nil, s.Value != nil:
		return true
	case s.ConfigMapRef != nil:
		at, ok = at+".initScript.configMapRef", look(at+".initScript.configMapRef", "ConfigMap", s.ConfigMapRef, e)
	case s.SecretRef != nil:
		at, ok = at+".initScript.secretRef", look(at+".initScript.secretRef", "Secret", s.SecretRef, e)
	}
	if ok && s.Template {
		ok = checkTemplate(at+".key", s.text(e), &e.Report)
	}
	return ok
}

func look(field, kind string, ref *DataRef, e *kind.Expansion) bool {
	if !e.Declares(kind, ref.Name) {
		e.Missing(field+".name", kind, ref.Name, "")
		return false
	}
	return script.Entry(field+".key", kind, ref.Name, e, ref.Key)
}

// text is the content of the script; "" if it does not exist.
func (s *InitScript) text(e *kind.Expansion) (text string) {
	switch {
	case s.Value != nil:
		return *s.Value
	case s.ConfigMapRef != nil:
		text, _ = e.Data("ConfigMap", s.ConfigMapRef.Name, s.ConfigMapRef.Key)
	case s.SecretRef != nil:
		text, _ = e.Data("Secret", s.SecretRef.Name, s.SecretRef.Key)
	}
	return text
}

// script checks user data that contains an init script.
var script = UserData{Script: true}
