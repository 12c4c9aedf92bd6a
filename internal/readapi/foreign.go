package readapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// foreignKind is a kind of Kubernetes that people request out of habit, such as Pod. It is not served, but kubectl must know it. Otherwise
// kubectl would not send the request, and the answer could not refer to the right kind.
type foreignKind struct {
	short   string
	instead string
}

const noPods = "there are no pods here; `kubectl get virtualmachines,servers` shows machines. To see the console of a machine, use `openstack console log show SERVER`"

var foreign = map[manifest.GroupVersionKind]foreignKind{
	{Version: "v1", Kind: "Pod"}:                        {"po", noPods},
	{Version: "v1", Kind: "Node"}:                       {"no", "there are no nodes here; `kubectl get virtualmachines,servers` shows machines"},
	{Version: "v1", Kind: "ConfigMap"}:                  {"cm", "ConfigMaps are not served; they are in the repository"},
	{Version: "v1", Kind: "Secret"}:                     {"", "Secrets are not served; they are in the repository"},
	{Group: "apps", Version: "v1", Kind: "Deployment"}:  {"deploy", noDeployments},
	{Group: "apps", Version: "v1", Kind: "StatefulSet"}: {"sts", noDeployments},
}

const noDeployments = "there are no deployments here; `kubectl get virtualmachinegroups -w` shows groups of machines while they are rolled out, and `kubectl get stacks -w` how far a pass has come"

func foreignResources() (list []resource) {
	for gvk, kind := range foreign {
		r := resourceOf(gvk)
		r.short = kind.short
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b resource) int { return cmp.Compare(a.plural, b.plural) })
	return list
}

var serverGVK = manifest.GroupVersionKind{Group: "openstack.k-orc.cloud", Version: "v1alpha1", Kind: "Server"}

// noSuch returns the message for a path that does not exist. It contains the path to use instead.
func (h *Handler) noSuch(path []string) string {
	a, ok := pathOf(path, foreignResources())
	if !ok {
		return "there is no such resource"
	}
	text := foreign[a.GroupVersionKind].instead
	if a.Kind != "Pod" || a.name == "" {
		return text
	}
	for _, i := range h.find(h.store.at(a.stack), asked{resource: resource{GroupVersionKind: serverGVK}, stack: a.stack, name: a.name}) {
		if id, _ := i.cells[idCell].(string); id != "" {
			return strings.Replace(text, "SERVER", printable.Name(id), 1)
		}
	}
	return text
}
