package m3dbcluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func (w *world) anyAddress() (address string) {
	for at := range w.look() {
		if address == "" || at < address {
			address = at
		}
	}
	return address
}

// A machine reports other instances and namespaces, with a higher version than all other machines report. The agent does not
// believe it.
func TestAttackAMachineThatLies(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	w.Target = w.Impostor(w.anyAddress()+":7201", func(rw http.ResponseWriter, req *http.Request) {
		if strings.Contains(req.URL.Path, "namespace") {
			_ = json.NewEncoder(rw).Encode(map[string]any{"registry": map[string]any{"namespaces": map[string]any{}}})
			return
		}
		_ = json.NewEncoder(rw).Encode(map[string]any{"version": 9999, "placement": map[string]any{"replicaFactor": 3, "numShards": 8,
			"instances": map[string]any{"kv-7.00000000@10.0.0.7": map[string]any{"id": "kv-7.00000000@10.0.0.7", "endpoint": "10.0.0.7:9000"}}}})
	})
	if list := kindtest.Writes(w.Plan(sized(1, 1, 1))); len(list) > 0 {
		t.Errorf("the plan has %v", list)
	}
}

// Answers that no coordinator would give change nothing.
func TestAttackAnswers(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	address := w.anyAddress()
	answers := kindtest.Nonsense()
	answers["no placement"] = func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusNotFound)
		_, _ = rw.Write([]byte(`{"error": "placement does not exist"}`))
	}
	for name, answer := range answers {
		w.Target = w.Impostor(address+":7201", answer)
		if list := kindtest.Writes(w.Plan(sized(1, 1, 1))); len(list) > 0 {
			t.Errorf("%s: the plan has %v", name, list)
		}
	}
}

// A machine of the stack has a name that an instance could have, but never becomes an instance. The cluster ignores it.
func TestAttackAMachineOfAnInstancesName(t *testing.T) {
	w := newWorld(t)
	other := `
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VirtualMachine, metadata: {name: kv-7}, spec: {image: centos79, flavor: n3-1vcpu-2gb, network: private}}
`
	w.MustSync(sized(1, 1, 1) + other)
	w.settled("kv-0", "kv-1", "kv-2")
	if list := kindtest.Writes(w.Plan(sized(1, 1, 1) + other)); len(list) > 0 {
		t.Errorf("the plan has %v", list)
	}
}

// Ports may have addresses at which somebody else's M3DB answers. The agent changes neither an instance nor a namespace there.
func TestAttackPortsAtAnotherM3DB(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(1, 1, 1))
	var ports struct {
		Ports []struct {
			ID   string
			Tags []string
		}
	}
	if err := w.client.Do(t.Context(), cloud.Call{Service: cloud.Network, Path: "ports", Into: &ports}); err != nil {
		t.Fatal(err)
	}
	for _, p := range ports.Ports {
		tags := slices.DeleteFunc(p.Tags, func(tag string) bool { return strings.HasPrefix(tag, "stackreeve:m3") })
		if err := w.client.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + p.ID + "/tags", Body: map[string]any{"tags": tags}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, manifests := range []string{sized(1, 1, 1), sized(2, 1, 1), strings.Replace(sized(1, 1, 1), "name: plain", "name: other", 1)} {
		for _, step := range kindtest.Writes(w.Plan(manifests)) {
			if strings.Contains(step, "M3DB") && !strings.HasPrefix(step, "create ") {
				t.Errorf("the plan has %s", step)
			}
		}
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second) // the pass would retry for longer
		w.Engine(w.Target.Client(nil)).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(manifests)})
		stop()
	}
	w.settled("kv-0", "kv-1", "kv-2")
}

// Machines that no manifest wants are not deleted while no machine reports which shards they have.
func TestAttackShrinkingWhileNobodyAnswers(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(2, 1, 1))
	usual := w.Machines.Through
	w.Machines = outbound.Machines{Through: func(ctx context.Context, network, at string) (net.Conn, error) {
		if strings.HasSuffix(at, ":7201") {
			return nil, net.ErrClosed
		}
		return usual(ctx, network, at)
	}}
	w.Target = w.Target.Through(func(next http.RoundTripper) http.RoundTripper { return next })
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second) // the pass would retry for longer
	defer stop()
	w.Engine(w.Target.Client(nil)).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(sized(1, 1, 1))})
	if n := count(w.look()); n != 4 {
		t.Errorf("%d machines are left of 4", n)
	}
}

func TestRefused(t *testing.T) {
	w := newWorld(t)
	w.RefusesEdits("", sized(1, 1, 1), map[string][3]string{
		"no version":            {"v1.5.0", "nightly", "spec.image"},
		"too few groups":        {"{name: c, numInstances: 1}", "{name: c, numInstances: 0}", "spec.isolationGroups"},
		"a group twice":         {"{name: c, ", "{name: b, ", "spec.isolationGroups[2].name"},
		"too many instances":    {"{name: c, numInstances: 1}", "{name: c, numInstances: 99}", "spec.isolationGroups"},
		"no namespaces":         {"[{name: plain, preset: 10s:2d}]", "[]", "spec.namespaces"},
		"no options":            {"name: plain, preset: 10s:2d", "name: plain", "spec.namespaces[0]"},
		"another preset":        {"preset: 10s:2d", "preset: 5s:2d", "spec.namespaces[0].preset"},
		"a namespace twice":     {"preset: 10s:2d}", "preset: 10s:2d}, {name: plain, preset: 1m:40d}", "spec.namespaces[1].name"},
		"no time":               {"preset: 10s:2d", "options: {retentionOptions: {retentionPeriod: long}}", "spec.options.retentionOptions.retentionPeriod"},
		"an option that is not": {"preset: 10s:2d", "options: {color: red}", "spec.options.color"},
		"etcd by name only":     {"http://192.0.2.7:2379", "etcd", "spec.etcdEndpoints[0]"},
		"etcd with a password":  {"http://192.0.2.7:2379", "http://a:b@192.0.2.7:2379", "spec.etcdEndpoints[0]"},
		"two etcds":             {"  clients: [10.0.0.0/8]", "  etcdClusterRef: x", "spec.etcdClusterRef"},
		"no such etcd":          {"  etcdEndpoints: [http://192.0.2.7:2379]", "  etcdClusterRef: x", "spec.etcdClusterRef"},
		"no configuration":      {"  etcdEndpoints: [http://192.0.2.7:2379]", "  configMapName: x", "spec.configMapName"},
		"a claim":               {"  clients: [10.0.0.0/8]", "  dataDirVolumeClaimTemplate: {spec: {resources: {requests: {storage: much}}}}", "spec.dataDirVolumeClaimTemplate.spec.resources.requests.storage"},
		"a fixed address":       {"  clients: [10.0.0.0/8]", "  repository: https://mirror.example.org/m3", "spec.repository"},
		"an unknown field":      {"  clients: [10.0.0.0/8]", "  replicas: 3", "spec.replicas"},
	})
}

// Machines authenticate to an etcd with TLS by the certificate of a Secret, or by one that is derived for them. If neither is
// declared, the plan is refused.
func TestAnEtcdWithTLS(t *testing.T) {
	w := newWorld(t)
	w.Defaults.Etcd = &defaults.Etcd{Image: "centos79", Flavor: "n3-1vcpu-2gb", MasterKeyFile: "/etc/stackreeve/etcd.key"}
	etcd := func(tls string) string {
		return "\n---\n{apiVersion: stackreeve.dev/v1alpha1, kind: EtcdCluster, metadata: {name: shared}, spec: {size: 3, clients: [10.0.0.0/8]" + tls + "}}\n"
	}
	by := func(field string) string {
		return strings.Replace(sized(1, 1, 1), "  etcdEndpoints: [http://192.0.2.7:2379]", field, 1)
	}
	const auto, static = ", TLS: {auto: {generation: 7}}", ", TLS: {static: {member: {peerSecret: all, serverSecret: all}, operatorSecret: all}}"
	all := kindtest.CertificateSecret(t, "all", "peer", "server", "etcd-client")
	own := kindtest.CertificateSecret(t, "own", "etcd-client")
	for name, c := range map[string]struct{ text, byDefault, want string }{
		"derived keys":       {by("  etcdClusterRef: shared") + etcd(auto), "", `"certificate":{"cluster":"shared","generation":7,"use":"client"}`},
		"by default":         {by("") + etcd(auto), "shared", `"certificate":{"cluster":"shared","generation":7,"use":"client"}`},
		"without TLS":        {by("  etcdClusterRef: shared") + etcd(""), "", `\"tls\":null`},
		"from Secrets":       {by("  etcdClusterRef: shared") + etcd(static) + all, "", "spec.etcdTLSSecret: "},
		"another Secret":     {by("  etcdClusterRef: shared\n  etcdTLSSecret: own") + etcd(static) + all + own, "", `"secretRefs":["own"]`},
		"other members":      {by("  etcdEndpoints: [https://192.0.2.7:2379]\n  etcdTLSSecret: own") + own, "", `"secretRefs":["own"]`},
		"a broken cluster":   {by("  etcdClusterRef: shared") + etcd(static), "", "EtcdCluster/shared: spec.TLS.static.member.peerSecret: refers to Secret/all"},
		"in capital letters": {by("  etcdEndpoints: [HTTPS://192.0.2.7:2379]\n  etcdTLSSecret: own") + own, "", "spec.etcdEndpoints[0]: "}, // M3DB's client of etcd does not understand capital letters
		"nothing to show":    {by("  etcdEndpoints: [https://192.0.2.7:2379]"), "", "spec.etcdTLSSecret: "},
		"nobody to show it":  {by("  etcdEndpoints: [http://192.0.2.7:2379]\n  etcdTLSSecret: own") + own, "", "spec.etcdTLSSecret: "},
		"TLS in part":        {by("  etcdEndpoints: [http://192.0.2.7:2379, https://192.0.2.8:2379]\n  etcdTLSSecret: own") + own, "", "has TLS at 1 of 2 addresses"},
		"no such Secret":     {by("  etcdEndpoints: [https://192.0.2.7:2379]\n  etcdTLSSecret: own"), "", "spec.etcdTLSSecret: refers to Secret/own"},
		"another's Secret":   {by("  etcdEndpoints: [https://192.0.2.7:2379]\n  etcdTLSSecret: own") + kindtest.CertificateSecret(t, "own", "peer"), "", "Secret/own has no data.etcd-client.crt"},
		"all by itself":      {by("  configMapName: whole\n  etcdTLSSecret: own") + own + "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: whole}, data: {m3.yml: x}}\n", "", `"secretRefs":["own"]`},
		"its own etcd, none": {by("  etcdTLSSecret: own") + own, "", `\"tls\":null`},
	} {
		w.Defaults.M3.EtcdCluster = c.byDefault
		wants, err := w.TryResolve(c.text)
		got := fmt.Sprint(err)
		for _, d := range wants {
			if d.Key.Kind == "Server" && d.Key.Name == "kv-0" && err == nil {
				text, _ := json.Marshal(d.Spec)
				got = string(text)
			}
		}
		if !strings.Contains(got, c.want) || strings.Contains(got, "PRIVATE KEY") {
			t.Errorf("%s: %.300s\nwant %s", name, got, c.want)
		}
	}
}

// Fields that have no meaning for machines are noted.
func TestNoted(t *testing.T) {
	w := newWorld(t)
	text := strings.Replace(sized(1, 1, 1, "  podIdentityConfig: {sources: [PodUID]}", "  containerResources: {limits: {cpu: 1}}", "  externalCoordinator: {serviceEndpoint: x}", "  tolerations: [{key: x}]"),
		"{name: a, ", "{name: a, storageClassName: fast, nodeAffinityTerms: [{key: disk, values: [ssd]}], ", 1)
	var noted []string
	for _, d := range w.Resolve(text) {
		for _, n := range d.Notes {
			if d.Key.Kind == "M3DBCluster" {
				noted = append(noted, n.Field)
			}
		}
	}
	for _, field := range []string{"spec.podIdentityConfig", "spec.containerResources", "spec.externalCoordinator", "spec.keepEtcdDataOnDelete", "spec.tolerations", "spec.checksum",
		"spec.isolationGroups[0]", "spec.isolationGroups[0].storageClassName", "spec.isolationGroups[0].nodeAffinityTerms[0]"} {
		if !slices.Contains(noted, field) {
			t.Errorf("%s is not noted; there is %v", field, noted)
		}
	}
}

// The zone of an isolation group is the one that the configuration has for the group's name, or for the zone of its Kubernetes
// nodes.
func TestZones(t *testing.T) {
	w := newWorld(t)
	w.Defaults.Zones = map[string]string{"a": "az-1", "us-central1-b": "az-2"}
	text := strings.Replace(sized(1, 1, 1), "{name: b, ", "{name: b, nodeAffinityTerms: [{key: topology.kubernetes.io/zone, values: [us-central1-b]}], ", 1)
	zones := map[string]string{}
	for _, d := range w.Resolve(text) {
		if d.Key.Kind == "Server" {
			shown, _ := json.Marshal(d.Spec)
			for _, zone := range []string{"az-1", "az-2"} {
				if strings.Contains(string(shown), `"`+zone+`"`) {
					zones[d.Key.Name] = zone
				}
			}
		}
	}
	if len(zones) != 2 || zones["kv-0"] != "az-1" || zones["kv-1"] != "az-2" {
		t.Errorf("the machines are in %v", zones)
	}
}
