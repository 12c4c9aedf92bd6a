package all_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// An example that K-ORC could read, too, is applied unchanged. Its status has the same fields as in K-ORC, with the same
// names.
func TestCloudManifestsForKORC(t *testing.T) {
	g, text := kindtest.NewTarget(t, all.Kinds), example(t, "k-orc")
	g.Only(text)
	g.MustSync(text)
	pass := g.MustSync(text)
	if len(pass.Results) > 0 {
		t.Errorf("the second pass did something: %v", pass.Results)
	}
	fields := map[string]map[string]any{}
	for _, o := range status.Of(pass.Last, all.Kinds(nil, defaults.Defaults{})) {
		fields[o.Kind+"/"+o.Metadata.Name] = fieldsOf(t, o.Status)
		if available := o.Status.Conditions[0]; available.Status != "True" || available.Reason != "Success" {
			t.Errorf("%s/%s: %+v", o.Kind, o.Metadata.Name, available)
		}
	}
	id := func(object string) any { return fields[object]["id"] }
	resource := func(object string) map[string]any { return fields[object]["resource"].(map[string]any) }
	first := func(list any) any { return list.([]any)[0] }
	for _, same := range []struct {
		what      string
		got, want any
	}{
		{"network of the subnet", resource("Subnet/shop")["networkID"], id("Network/shop")},
		{"network of the gateway", first(resource("Router/shop")["externalGateways"]).(map[string]any)["networkID"], id("Network/outside")},
		{"group of the port", first(resource("Port/shop")["securityGroups"]), id("SecurityGroup/shop-web")},
		{"groups of the spare port", resource("Port/shop-spare")["securityGroups"], nil},
		{"addresses of the spare port", resource("Port/shop-spare")["fixedIPs"], nil},
		{"port of the floating IP", resource("FloatingIP/shop")["portID"], id("Port/shop")},
		{"router of the floating IP", resource("FloatingIP/shop")["routerID"], id("Router/shop")},
		{"device of the port", resource("Port/shop")["deviceID"], id("Server/shop")},
		{"image of the server", resource("Server/shop")["imageID"], id("Image/debian")},
		{"group of the server", first(resource("Server/shop")["serverGroups"]), id("ServerGroup/shop")},
		{"server of the volume", first(resource("Volume/shop-data")["attachments"]).(map[string]any)["serverID"], id("Server/shop")},
	} {
		if same.got != same.want {
			t.Errorf("%s: %v, want %v", same.what, same.got, same.want)
		}
	}
}

// Manifests that K-ORC's schemas refuse for every kind are refused here, too. An empty filter matters most: if the cloud
// has only one object of the kind, the filter would match it. A managed manifest would then adopt that object.
func TestRefusedOfEveryKindOfKORC(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		if info := k.Info; info.Group == define.OrcGroup && info.Kind != "RouterInterface" {
			g.Refuses(map[string]string{
				"managementPolicy: unmanaged, import: {filter: {}}":                              "spec.import.filter",
				"import: {filter: {}}":                                                           "spec.import.filter",
				"managementPolicy: unmanaged, import: {id: x}, managedOptions: {onDelete: keep}": "spec.managedOptions.onDelete",
				"managementPolicy: unmanaged, import: {id: x}, managedOptions: {}":               "spec.managedOptions",
			}, func(spec string) string {
				return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: some}, spec: {%s}}", info.Group+"/"+info.Version, info.Kind, spec)
			})
		}
	}
}

// A reference must not be empty if it is required, or is one of several alternatives. Earlier versions sent an empty
// reference to the cloud, or left it out.
func TestReferencesNameSomething(t *testing.T) {
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		forEachField(k.Body.Go(), k.Info.Kind, func(path string, f reflect.StructField) {
			rules := strings.Split(f.Tag.Get("rule"), ",")
			if f.Tag.Get("ref") != "" && slices.Contains(rules, "required") && !slices.Contains(rules, "min=1") {
				t.Errorf("%s can be empty", path)
			}
			if f.Tag.Get("ref") != "" && f.Type.Kind() == reflect.Slice && !slices.Contains(rules, "format=name") {
				t.Errorf("%s can hold what is empty", path)
			}
		})
	}
}

// Tags and zones are sets, as in K-ORC. An element that occurs twice is a mistake, which is reported before Neutron refuses
// it.
func TestWhatIsInASetIsThereOnce(t *testing.T) {
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		if k.Info.Group != define.OrcGroup {
			continue
		}
		spec, _ := k.Body.Go().FieldByName("Spec")
		resource, enveloped := spec.Type.FieldByName("Resource")
		if !enveloped {
			continue
		}
		forEachField(resource.Type, k.Info.Kind, func(path string, f reflect.StructField) {
			set := f.Name == "Tags" || f.Name == "AvailabilityZoneHints"
			if set && !slices.Contains(strings.Split(f.Tag.Get("rule"), ","), "unique") {
				t.Errorf("%s can hold something twice", path)
			}
		})
	}
}

// forEachField calls do for each field that a manifest can have, including those of nested structs.
func forEachField(body reflect.Type, path string, do func(path string, f reflect.StructField)) {
	for body.Kind() == reflect.Pointer || body.Kind() == reflect.Slice {
		body = body.Elem()
	}
	if body.Kind() != reflect.Struct {
		return
	}
	for i := range body.NumField() {
		if f := body.Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
			do(path+"."+f.Name, f)
			forEachField(f.Type, path+"."+f.Name, do)
		}
	}
}

func fieldsOf(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
