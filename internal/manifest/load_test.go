package manifest_test

import (
	"os"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

type port struct {
	Port        int      `json:"port" rule:"required,min=1,max=65535"`
	Protocol    string   `json:"protocol" rule:"required,enum=http|https|tcp|udp"`
	RealServers *servers `json:"realServers,omitempty"`
	Monitors    []probe  `json:"monitors,omitempty"`
}

type servers struct {
	Protocol               string `json:"protocol"`
	Port                   int    `json:"port"`
	VirtualMachineGroupRef string `json:"virtualMachineGroupRef" rule:"format=name"`
}

type probe struct {
	Protocol string `json:"protocol"`
	Port     int    `json:"port"`
	Endpoint string `json:"endpoint"`
}

type loadBalancer struct {
	Description string `json:"description"`
	Region      string `json:"region"`
	Zone        string `json:"zone"`
	VIPType     string `json:"vipType" rule:"enum=private|public"`
	ServiceType string `json:"serviceType"`
	Ports       []port `json:"ports" rule:"required,min=1"`
}

type initScript struct {
	Value string `json:"value"`
}

type machine struct {
	Image       string     `json:"image" rule:"required"`
	Flavor      string     `json:"flavor" rule:"required"`
	InitScript  initScript `json:"initScript"`
	Description string     `json:"description"`
}

type machineGroup struct {
	Replicas    int32   `json:"replicas" rule:"min=0"`
	HAPolicy    string  `json:"haPolicy" rule:"enum=soft|hard"`
	Template    machine `json:"template" rule:"required"`
	Description string  `json:"description"`
}

func kinds() manifest.Options {
	o := manifest.Options{
		Aliases:     map[string]string{"verda.linecorp.com": "stackreeve.dev"},
		Annotations: []string{"stackreeve.dev/prune", "stackreeve.dev/on-delete"},
		Kinds:       []manifest.GroupVersionKind{{Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "ConfigMap"}},
		LeaveAlone:  []manifest.GroupVersionKind{{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Stack"}},
	}
	for _, group := range []string{"stackreeve.dev", "verda.linecorp.com"} {
		for _, kind := range []string{"VirtualMachine", "VirtualMachineGroup", "LoadBalancer"} {
			o.Kinds = append(o.Kinds, manifest.GroupVersionKind{Group: group, Version: "v1alpha1", Kind: kind})
		}
	}
	for _, kind := range []string{"Network", "Subnet", "SecurityGroup"} {
		o.Kinds = append(o.Kinds, manifest.GroupVersionKind{Group: "openstack.k-orc.cloud", Version: "v1alpha1", Kind: kind})
	}
	return o
}

func TestSeedsLoad(t *testing.T) {
	got, err := manifest.Load(os.DirFS("testdata/verda"), kinds())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Objects) != 3 {
		t.Fatalf("got %d objects, want 3", len(got.Objects))
	}
	var vm struct {
		Spec machine `json:"spec"`
	}
	var group struct {
		Spec machineGroup `json:"spec"`
	}
	var balancer struct {
		Spec loadBalancer `json:"spec"`
	}
	for i, into := range []any{&balancer, &vm, &group} {
		o := got.Objects[i]
		if problems := o.Decode(into); len(problems) > 0 {
			t.Errorf("%s: %v", o.Key, problems)
		}
		if o.Key.Group != "stackreeve.dev" || o.APIVersion != "verda.linecorp.com/v1alpha1" || o.Key.Namespace != "default" {
			t.Errorf("%s: got group %q, apiVersion %q, namespace %q", o.Key, o.Key.Group, o.APIVersion, o.Key.Namespace)
		}
	}
	if p := balancer.Spec.Ports; len(p) != 2 || p[1].Port != 443 || p[1].Monitors[1].Endpoint != "/health/ready" {
		t.Errorf("got ports %+v", p)
	}
	if vm.Spec.InitScript.Value != "ls" || group.Spec.Replicas != 2 || group.Spec.Template.Flavor != "n3-1vcpu-2gb" {
		t.Errorf("got %+v and %+v", vm.Spec, group.Spec)
	}
}
