package octavia

import "math"

// These are the values that requests may have (octavia/api/v2/types,
// octavia/common/constants.py).
var (
	listenerProtocols = []string{"PROMETHEUS", "TERMINATED_HTTPS", "UDP", "HTTP", "SCTP", "HTTPS", "TCP"}
	poolProtocols     = []string{"PROXYV2", "PROXY", "UDP", "HTTP", "SCTP", "HTTPS", "TCP"}
	algorithms        = []string{"SOURCE_IP_PORT", "ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP"}
	monitorTypes      = []string{"PING", "UDP-CONNECT", "HTTP", "TLS-HELLO", "SCTP", "HTTPS", "TCP"}

	// fitting maps the protocol of a listener to the protocols that its pools may have.
	fitting = map[string][]string{
		"TCP": {"HTTP", "HTTPS", "PROXY", "PROXYV2", "TCP"}, "HTTP": {"HTTP", "PROXY", "PROXYV2"}, "HTTPS": {"HTTPS", "PROXY", "PROXYV2", "TCP"},
		"TERMINATED_HTTPS": {"HTTP", "PROXY", "PROXYV2"}, "UDP": {"UDP"}, "SCTP": {"SCTP"},
	}

	common = map[string]check{"name": text, "admin_state_up": flag, "tags": each(text)}
	port   = within(1, 65535)
	millis = within(0, 31536000000)
	some   = within(0, math.MaxInt32)

	balancerPUT  = schema{"load_balancer.loadbalancer", with(common, map[string]check{"description": text, "vip_qos_policy_id": text}), nil}
	balancerPOST = schema{balancerPUT.argument, with(balancerPUT.attrs, map[string]check{
		"vip_address": address, "vip_port_id": text, "vip_subnet_id": text, "vip_network_id": text, "project_id": text, "provider": text,
		"flavor_id": text, "availability_zone": text, "additional_vips": anything, "listeners": each(anything), "pools": each(anything),
	}), nil}

	listenerPUT = schema{"listener_.listener", with(common, map[string]check{
		"description": text, "connection_limit": within(-1, math.MaxInt32), "default_pool_id": text, "default_pool": anything,
		"insert_headers": anything, "timeout_client_data": millis, "timeout_member_connect": millis, "timeout_member_data": millis,
		"timeout_tcp_inspect": millis, "allowed_cidrs": each(cidr), "default_tls_container_ref": text, "sni_container_refs": each(text),
		"client_authentication": oneOf("NONE", "OPTIONAL", "MANDATORY"), "client_ca_tls_container_ref": text, "client_crl_container_ref": text, "tls_ciphers": text,
		"tls_versions": each(text), "alpn_protocols": each(text),
	}), nil}
	listenerPOST = schema{listenerPUT.argument, with(listenerPUT.attrs, map[string]check{
		"protocol": oneOf(listenerProtocols...), "protocol_port": port, "loadbalancer_id": text, "project_id": text, "l7policies": each(anything),
	}), []string{"protocol", "protocol_port"}}

	poolPUT = schema{"pool_.pool", with(common, map[string]check{
		"description": text, "lb_algorithm": oneOf(algorithms...), "session_persistence": anything, "tls_enabled": flag, "tls_container_ref": text,
		"ca_tls_container_ref": text, "crl_container_ref": text, "tls_ciphers": text, "tls_versions": each(text), "alpn_protocols": each(text),
	}), nil}
	poolPOST = schema{poolPUT.argument, with(poolPUT.attrs, map[string]check{
		"protocol": oneOf(poolProtocols...), "loadbalancer_id": text, "listener_id": text, "project_id": text,
		"healthmonitor": anything, "members": each(anything),
	}), []string{"protocol", "lb_algorithm"}}

	memberPUT = schema{"member_.member", with(common, map[string]check{
		"weight": within(0, 256), "backup": flag, "monitor_address": address, "monitor_port": port,
	}), nil}
	memberPOST = schema{memberPUT.argument, with(memberPUT.attrs, map[string]check{
		"address": address, "protocol_port": port, "subnet_id": text, "project_id": text,
	}), []string{"address", "protocol_port"}}

	monitorPUT = schema{"health_monitor_.healthmonitor", with(common, map[string]check{
		"delay": some, "timeout": some, "max_retries": within(1, 10), "max_retries_down": within(1, 10),
		"http_method": oneOf("GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "CONNECT"), "url_path": urlPath,
		"expected_codes": text, "http_version": anything, "domain_name": text,
	}), nil}
	monitorPOST = schema{monitorPUT.argument, with(monitorPUT.attrs, map[string]check{
		"type": oneOf(monitorTypes...), "pool_id": text, "project_id": text,
	}), []string{"type", "delay", "timeout", "max_retries"}}
)
