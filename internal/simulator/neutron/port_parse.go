package neutron

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// parseFixedIPs mirrors neutron_lib/api/validators: validate_fixed_ips.
func parseFixedIPs(name string, v any) (any, *oslo.Error) {
	l, ok := v.([]any)
	if !ok {
		return nil, invalid(name, "Invalid data format for fixed IP: '%s'.", py(v))
	}
	out, seen := []wish{}, map[string]bool{}
	for _, x := range l {
		m, ok := x.(map[string]any)
		if !ok {
			return nil, invalid(name, "Invalid data format for fixed IP: '%s'.", py(x))
		}
		var w wish
		if raw, sent := m["ip_address"]; sent {
			a, err := ip(name, raw)
			if err != nil {
				return nil, err
			}
			w.ip, _ = a.(string)
			if seen[w.ip] {
				return nil, invalid(name, "Duplicate IP address '%s'.", w.ip)
			}
			seen[w.ip] = true
		}
		if raw, sent := m["subnet_id"]; sent {
			if _, err := uuid(name, raw); err != nil {
				return nil, err
			}
			w.subnet, _ = raw.(string)
		}
		out = append(out, w)
	}
	return out, nil
}

// parsePairs mirrors neutron_lib/api/definitions/allowedaddresspairs.py:
// _validate_allowed_address_pairs.
func parsePairs(_ string, v any) (any, *oslo.Error) {
	l, ok := v.([]any)
	if !ok && v != nil {
		return nil, badRequest("Allowed address pairs must be a list.")
	}
	if len(l) > 10 {
		return nil, oslo.Errorf(400, "AllowedAddressPairExhausted", "The number of allowed address pair exceeds the maximum 10.")
	}
	out := []AddressPair{}
	for _, x := range l {
		m, ok := x.(map[string]any)
		if !ok {
			return nil, badRequest("Invalid data format for allowed address pair: '%s'", py(x))
		}
		var pair AddressPair
		for key, raw := range m {
			s, _ := raw.(string)
			switch key {
			case "mac_address":
				if !macForm.MatchString(s) {
					return nil, badRequest("'%s' is not a valid MAC address", py(raw))
				}
				pair.MAC = s
			case "ip_address":
				if _, err := netip.ParseAddr(s); err != nil {
					if _, err := netip.ParsePrefix(s); err != nil {
						return nil, badRequest("'%s' is not a valid IP address", py(raw))
					}
				}
				pair.IP = s
			default:
				return nil, badRequest("Unrecognized attribute(s) '%s'", key)
			}
		}
		if pair.IP == "" {
			return nil, oslo.Errorf(400, "AllowedAddressPairsMissingIP", "AllowedAddressPair must contain ip_address")
		}
		if slices.Contains(out, pair) {
			shown := pair.MAC
			if shown == "" {
				shown = "None"
			}
			return nil, oslo.Errorf(400, "DuplicateAddressPairInRequest", "Request contains duplicate address pair: mac_address %s ip_address %s.", shown, pair.IP)
		}
		out = append(out, pair)
	}
	return out, nil
}

// parseDHCPOptions mirrors neutron_lib/api/validators: validate_any_key_specs_or_none.
func parseDHCPOptions(name string, v any) (any, *oslo.Error) {
	if v == nil {
		return []DHCPOption{}, nil
	}
	l, err := list(name, v)
	if err != nil {
		return nil, err
	}
	out := []DHCPOption{}
	for _, x := range l {
		m, _ := x.(map[string]any)
		option, named := m["opt_name"].(string)
		value, valued := m["opt_value"]
		if !named || !valued {
			return nil, invalidInput("No valid key specs matched for: %s.", py(x))
		}
		o := DHCPOption{Name: option, IPVersion: 4}
		if py(m["ip_version"]) == "6" {
			o.IPVersion = 6
		}
		if s, ok := value.(string); ok {
			o.Value = &s
		}
		out = append(out, o)
	}
	return out, nil
}

// mergeDHCPOptions mirrors db/extradhcpopt_db.py:
// _update_extra_dhcp_opts_on_port: a request adds and changes options, and
// removes those without a value.
func mergeDHCPOptions(have []DHCPOption, v oslo.Values) []DHCPOption {
	out := append([]DHCPOption{}, have...)
	asked, _ := v["extra_dhcp_opts"].([]DHCPOption)
	for _, o := range asked {
		out = slices.DeleteFunc(out, func(h DHCPOption) bool { return h.Name == o.Name && h.IPVersion == o.IPVersion })
		if o.Value != nil {
			out = append(out, o)
		}
	}
	return out
}
