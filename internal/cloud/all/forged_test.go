package all_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/simulator/keystone"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// others has a manifest of each kind that estate lacks. DISK is replaced by the address from which
// an image is downloaded.
const others = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: WORD-image}
spec: {resource: {name: WORD-image, tags: [web], properties: {operatingSystem: {version: "12"}}, content: {diskFormat: raw, download: {url: "DISK"}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: WORD-config}
data: {script: echo}
---
apiVersion: v1
kind: Secret
metadata: {name: WORD-secret}
stringData: {value: echo hello}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: WORD-project}
spec: {resource: {description: where it is, tags: [shop]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: demo}
spec: {managementPolicy: unmanaged, import: {filter: {name: demo}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: VolumeType
metadata: {name: ssd}
spec: {managementPolicy: unmanaged, import: {filter: {name: ssd}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: WORD-zone}
spec: {resource: {name: WORD.example.org., email: hostmaster@example.org, description: what customers see}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: BarbicanSecret
metadata: {name: WORD-kept}
spec: {resource: {name: WORD-kept, payloadRef: WORD-secret, payloadKey: value, algorithm: aes}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: SwiftContainer
metadata: {name: WORD-container}
spec: {resource: {name: WORD-container, readACL: [".r:*"], corsOrigins: ["https://WORD.example.org"], metadata: [{name: tier, value: WORD}]}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSRecordSet
metadata: {name: WORD-records}
spec: {resource: {zoneRef: WORD-zone, type: A, records: [192.0.2.10], description: what customers ask for}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: AddressScope
metadata: {name: WORD-scope}
spec: {resource: {ipVersion: 4}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: SubnetPool
metadata: {name: WORD-pool}
spec: {resource: {prefixes: [10.90.0.0/16], addressScopeRef: WORD-scope, description: WORD}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ShareNetwork
metadata: {name: WORD-files}
spec: {resource: {networkRef: WORD-net, subnetRef: WORD-sub, description: WORD}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: AddressGroup
metadata: {name: WORD-group}
spec: {resource: {addresses: [10.90.0.0/16], description: WORD}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: QoSPolicy
metadata: {name: standard}
spec: {managementPolicy: unmanaged, import: {filter: {name: standard}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: WORD-sub}
spec: {resource: {networkRef: WORD-net, addresses: [{subnetRef: WORD-sub}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Trunk
metadata: {name: WORD-trunk}
spec: {resource: {portRef: WORD-port, subports: [{portRef: WORD-sub, segmentationID: 7}], description: WORD}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: PortForwarding
metadata: {name: WORD-forwarding}
spec: {resource: {floatingIPRef: WORD-fip, protocol: tcp, externalPort: 80, portRef: WORD-sub, internalPort: 80, description: WORD}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Definition
metadata: {name: WORD-defined}
spec: {schema: {kind: Fence, apiVersion: v1alpha1, spec: {about: string}}, resources: [{id: group, template: {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: "${schema.metadata.name}"}, spec: {resource: {description: WORD}}}}]}
---
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: WORD-drawn}
spec: {schema: {kind: Hedge, apiVersion: v1alpha1, spec: {about: string}}, resources: [{id: group, template: {apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: "${schema.metadata.name}"}, spec: {resource: {description: WORD}}}}]}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: WORD-machine}
spec: {image: cirros, flavor: m1.nano, network: WORD-net}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: WORD-machines}
spec: {replicas: 1, haPolicy: soft, template: {image: cirros, flavor: m1.nano, network: WORD-net}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Domain
metadata: {name: WORD-domain}
spec: {resource: {description: who works here}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Role
metadata: {name: WORD-role}
spec: {resource: {description: who may sell}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Group
metadata: {name: WORD-group}
spec: {resource: {description: who sells}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: User
metadata: {name: WORD-user}
spec: {resource: {description: who sells, passwordRef: WORD-login}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Service
metadata: {name: WORD-service}
spec: {resource: {type: WORD, description: what is sold}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Endpoint
metadata: {name: WORD-endpoint}
spec: {resource: {serviceRef: WORD-service, interface: public, url: "http://WORD.example.org/", description: where it is}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ApplicationCredential
metadata: {name: WORD-credential}
spec: {resource: {secretRef: WORD-login, description: for the shop}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RoleAssignment
metadata: {name: WORD-assignment}
spec: {resource: {roleRef: WORD-role, userRef: WORD-user, projectRef: demo}}
---
apiVersion: v1
kind: Secret
metadata: {name: WORD-login}
stringData: {password: correct-horse-battery, value: correct-horse-battery}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeSnapshot
metadata: {name: WORD-snapshot}
spec: {resource: {volumeRef: WORD-vol, description: WORD, force: true}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeSnapshotSchedule
metadata: {name: WORD-nightly}
spec: {volumeRef: WORD-vol, schedule: "0 3 * * *", timeZone: Europe/Berlin, keep: 3, keepFor: 720h, onDelete: delete}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeBackup
metadata: {name: WORD-backup}
spec: {resource: {volumeRef: WORD-vol, description: WORD, force: true}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: VolumeType
metadata: {name: WORD-type}
spec: {resource: {description: WORD, extraSpecs: [{name: "vendor:tier", value: WORD}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: WORD-flavor}
spec: {resource: {ram: 64, vcpus: 1, disk: 1, description: WORD, extraSpecs: [{name: "vendor:tier", value: WORD}]}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Quota
metadata: {name: WORD-quota}
spec: {resource: {projectRef: WORD-project, service: compute, limits: {cores: 7}}}
`

// asAdministrator gives the user of a target the role that the kinds of Keystone require.
// It must be called before the first login.
func asAdministrator(g *kindtest.Target) {
	k := g.Simulator.Keystone
	g.Simulator.Do(func() { k.Grant(k.UserID("demo"), k.ProjectID("demo"), keystone.Administrator) })
}

// forger puts a text into the fields of documents, into one field after the other.
type forger struct {
	text string
	// visit is called once for every field, while that field contains the text.
	visit func(field string)
}

// fill visits the fields of a type, and their values in v. set replaces v by another value.
func (f forger) fill(t reflect.Type, v any, path string, set func(any)) {
	switch t.Kind() {
	case reflect.Pointer:
		f.fill(t.Elem(), v, path, set)
	case reflect.String:
		set(f.text)
		f.visit(path)
		set(v)
	case reflect.Slice:
		f.list(t, v, path, set)
	case reflect.Map:
		f.table(t, v, path, set)
	case reflect.Struct:
		f.object(t, v, path, set)
	}
}

func (f forger) list(t reflect.Type, v any, path string, set func(any)) {
	list, _ := v.([]any)
	for i := range max(1, len(list)) {
		longer := slices.Clone(list)
		if i == len(longer) {
			longer = append(longer, nil)
		}
		f.fill(t.Elem(), longer[i], fmt.Sprintf("%s[%d]", path, i), func(item any) {
			longer[i] = item
			set(longer)
		})
	}
	set(v)
}

func (f forger) table(t reflect.Type, v any, path string, set func(any)) {
	set(map[string]any{f.text: "x"})
	f.visit(path + " (key)")
	for _, key := range []string{"x", mark.OwnerKey} {
		f.fill(t.Elem(), nil, path+"["+key+"]", func(item any) { set(map[string]any{key: item}) })
	}
	set(v)
}

func (f forger) object(t reflect.Type, v any, path string, set func(any)) {
	fields, _ := v.(map[string]any)
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported():
		case field.Anonymous:
			f.fill(field.Type, v, path, set)
		default:
			f.fill(field.Type, fields[name], path+"."+name, func(value any) {
				with := map[string]any{}
				for k, v := range fields {
					with[k] = v
				}
				if with[name] = value; value == nil {
					delete(with, name)
				}
				set(with)
			})
		}
	}
	set(v)
}

// The mark of another stack is written into each field of each kind, one after the other. Either
// the manifest is refused, or no object in the cloud appears to belong to the other stack.
func TestAttackForgedFields(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{})
	asAdministrator(g)
	victim := g.Beside("")
	base := strings.NewReplacer("WORD", "web", "KEY", "web", "VIP", "private", "DISK", diskServer(t)).Replace(estate + "---" + others)
	g.Defaults.ImageHosts = []string{"127.0.0.1"}
	g.MustSync(base)
	docs := strings.Split(base, "\n---\n")
	refused, accepted := map[string]int{}, map[string]bool{}
	for n, doc := range docs {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
			t.Fatal(err)
		}
		kind := object["kind"].(string)
		judge := func(field string) {
			text, err := yaml.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			forged := strings.Join(slices.Concat(docs[:n], []string{string(text)}, docs[n+1:]), "\n---\n")
			if _, err := g.TryResolve(forged); err != nil {
				if strings.Contains(err.Error(), "owner mark") {
					refused[kind]++
				}
				return
			}
			seldom := strings.HasPrefix(field, "metadata") || strings.HasPrefix(field, "spec.import")
			if accepted[kind+field] && seldom { // one form of the text is enough: the other forms are not written to the cloud
				return
			}
			accepted[kind+field] = true
			g.Sync(forged)
			if plan := victim.Plan(""); plan.Owned != 0 || len(plan.Steps) != 0 {
				t.Errorf("%s: %s: the other stack finds %d objects and %d steps", kind, field, plan.Owned, len(plan.Steps))
			}
		}
		owner := "stackreeve:" + victim.Stack + ":" + kind + "/core"
		for _, text := range []string{
			owner, "[" + owner + "]", "web [" + owner + "]", "web [" + owner + "] keep",
			"web [" + owner + " stackreeve-applied:x]",
			"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f " + owner + " stackreeve-applied:x stackreeve-project:" + victim.Client(nil).ProjectID,
		} {
			f := forger{text, judge}
			body := kindOf(t, kind).Body.Go()
			for i := range body.NumField() {
				name, _, _ := strings.Cut(body.Field(i).Tag.Get("json"), ",")
				f.fill(body.Field(i).Type, object[name], name, func(v any) {
					if object[name] = v; v == nil {
						delete(object, name)
					}
				})
			}
			meta := object["metadata"].(map[string]any)
			for _, name := range []string{"labels", "annotations"} {
				meta[name] = map[string]any{"example.org/x": text}
				judge("metadata." + name)
				delete(meta, name)
			}
		}
		if info := kindOf(t, kind).Info; refused[kind] == 0 && info.Group != "" && !strings.Contains(doc, "managementPolicy: unmanaged") { // QoSPolicy: see its TestRefused
			t.Errorf("%s: no field was refused for the mark it held", kind)
		}
	}
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		if !strings.Contains(base, "kind: "+k.Info.Kind+"\n") && inside[k.Info.Kind] == "" {
			t.Errorf("no document of kind %s is tried", k.Info.Kind)
		}
	}
	t.Logf("refused by kind: %v; accepted and looked at in the cloud: %d", refused, len(accepted))
}

func kindOf(t *testing.T, name string) *kind.Kind {
	t.Helper()
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		if k.Info.Kind == name {
			return k
		}
	}
	t.Fatalf("no kind %s", name)
	return nil
}
