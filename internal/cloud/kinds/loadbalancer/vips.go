package loadbalancer

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// vips returns the further addresses in Octavia's form. An address is "" if Octavia chooses it.
func vips(w typed.Want[Spec]) []vip {
	var out []vip
	for _, v := range w.Spec.AdditionalVIPs {
		out = append(out, vip{w.Ref("Subnet", v.SubnetRef).ID, table.IP(table.Or(v.Address, ""))})
	}
	return out
}

// compareVIPs compares the further addresses. A difference needs a replacement, because Octavia cannot change them.
func compareVIPs(w typed.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.AdditionalVIPs == nil {
		return
	}
	var had, shall []string
	for _, v := range have.More.AdditionalVIPs {
		had = append(had, v.SubnetID+" "+v.Address)
	}
	for i, v := range vips(w) {
		if ref := w.Ref("Subnet", w.Spec.AdditionalVIPs[i].SubnetRef); !ref.Ready {
			v.SubnetID = table.ID(ref)
		}
		if v.Address == "" {
			if there := slices.IndexFunc(have.More.AdditionalVIPs, func(o vip) bool { return o.SubnetID == v.SubnetID }); there >= 0 {
				v.Address = have.More.AdditionalVIPs[there].Address
			}
		}
		shall = append(shall, v.SubnetID+" "+v.Address)
	}
	slices.Sort(had)
	slices.Sort(shall)
	kind.Differs(c, "spec.additionalVIPs", had, shall, kind.Replace)
}

// validateVIPs refuses addresses that Octavia would refuse.
func validateVIPs(s *Spec, r *kind.Report) {
	seen := map[string]bool{}
	for i, v := range s.AdditionalVIPs {
		if seen[v.SubnetRef] {
			r.Problem(fmt.Sprintf("spec.additionalVIPs[%d].subnetRef", i), v.SubnetRef+" has an address already", "name each subnet once: Octavia gives one address of each")
		}
		seen[v.SubnetRef] = true
	}
}

// vip is a further address in Octavia's form.
type vip struct {
	SubnetID string `json:"subnetID" api:"subnet_id"`
	Address  string `json:"address" api:"ip_address"`
}
