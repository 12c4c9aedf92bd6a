package loadbalancer_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

var words = defaults.Defaults{
	Network: "private", VIPNetworks: map[string]string{"private": "inside", "public": "outside"}, Regions: map[string]string{"tokyo1": "RegionOne", "osaka1": "RegionTwo"},
	Zones: map[string]string{"dev": "az-a"}, ServiceTypes: map[string]string{"generic": "", "heavy": "big"}, Region: "RegionOne",
}

// balancer returns a manifest with the given lines in its spec and in its port.
func balancer(spec, port string) string {
	if port == "" {
		port = "realServers: {addresses: [10.0.0.1]}"
	}
	return "apiVersion: verda.linecorp.com/v1alpha1\nkind: LoadBalancer\nmetadata: {name: lb}\nspec:\n  " + strings.ReplaceAll(spec, "\n", "\n  ") +
		"\n  ports:\n    - port: 80\n      protocol: http\n      " + strings.ReplaceAll(strings.ReplaceAll(port, "\n", "\n      "), "\n      - ", "\n    - ") + "\n"
}

func read(manifests string, d defaults.Defaults) ([]kind.Desired, error) {
	want, _, err := resolve.Read(fstest.MapFS{"lb.yaml": {Data: []byte(manifests)}}, kinds(nil, d))
	return want, err
}

func TestRefused(t *testing.T) {
	tests := []struct {
		name, spec, port string
		want             string
	}{
		{"region of another stack", "region: osaka1", "",
			"spec.region"},
		{"unmapped region", "region: kyoto1", "",
			"spec.region"},
		{"unmapped vipType", "vipType: privat", "",
			"spec.vipType"},
		{"unmapped serviceType", "serviceType: x", "",
			"spec.serviceType"},
		{"names no machines", "", "realServers: {port: 80}", "spec.ports[0].realServers"},
		{"unknown group", "", "realServers: {virtualMachineGroupRef: web}",
			"spec.ports[0].realServers.virtualMachineGroupRef"},
		{"unknown machine", "", "realServers: {virtualMachineRefs: [web]}",
			"spec.ports[0].realServers.virtualMachineRefs[0]"},
		{"unknown server", "", "realServers: {serverRefs: [web]}",
			"spec.ports[0].realServers.serverRefs[0]"},
		{"more servers than can be", "", "realServers: {serverRefs: [" + many(1001) + "]}", "spec.ports[0].realServers.serverRefs"},
		{"port twice", "", "realServers: {addresses: [10.0.0.1]}\n- {port: 80, protocol: tcp, realServers: {addresses: [10.0.0.1]}}",
			"spec.ports[1].port"},
		{"protocols that do not fit", "", "realServers: {protocol: https, addresses: [10.0.0.1]}",
			"spec.ports[0].realServers.protocol"},
		{"endpoint of tcp", "", "realServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: tcp, endpoint: /x}]",
			"spec.ports[0].monitors[0].endpoint"},
		{"monitor that cannot be", "", "realServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: udp}]",
			"spec.ports[0].monitors[0].protocol"},
		{"impatient monitor", "", "realServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: tcp, timeout: 5}]",
			"spec.ports[0].monitors[0].timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := tt.spec
			if spec == "" {
				spec = "description: d"
			}
			_, err := read(balancer(spec, tt.port), words)
			if !kindtest.Refuses(err, tt.want) {
				t.Errorf("got %v, want a problem of %s", err, tt.want)
			}
		})
	}
}

func TestNetworkOfTheAddress(t *testing.T) {
	declared := "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: inside}\nspec: {resource: {}}\n"
	tests := []struct {
		name, spec, more, network string
		unmanaged                 bool
	}{
		{"by type", "vipType: private", "", "inside", true},
		{"by name, before the type", "vipType: private\nvipNetwork: own", "", "own", true},
		{"the stack's", "description: d", "", "private", true},
		{"declared in the repository", "vipType: private", declared, "inside", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, err := read(balancer(tt.spec, "")+tt.more, words)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range want {
				if d.Key.Kind == "Network" && (d.Key.Name != tt.network || d.Unmanaged != tt.unmanaged) {
					t.Errorf("network %s, unmanaged %t; want %s, %t", d.Key.Name, d.Unmanaged, tt.network, tt.unmanaged)
				}
			}
			if len(want) != 2 {
				t.Errorf("%d objects, want the load balancer and its network", len(want))
			}
		})
	}
}

func TestNothingIsDroppedInSilence(t *testing.T) {
	want, err := read(balancer("description: d", "option: {sticky: true}\nrealServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: http}, {protocol: https}, {protocol: tcp}]"), words)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, d := range want {
		for _, n := range d.Notes {
			fields = append(fields, n.Field)
		}
	}
	if got, want := strings.Join(fields, " "), "spec.ports[0].option spec.ports[0].monitors[1] spec.ports[0].monitors[2]"; got != want {
		t.Errorf("notes on %s, want %s", got, want)
	}
}

// Without a cloud, the region is not known, and Expand does not check it.
func TestRegionUnknown(t *testing.T) {
	unknown := words
	unknown.Region = ""
	if _, err := read(balancer("region: kyoto1", ""), unknown); err != nil {
		t.Error(err)
	}
}

// many returns n names.
func many(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("s%d", i)
	}
	return strings.Join(names, ", ")
}
