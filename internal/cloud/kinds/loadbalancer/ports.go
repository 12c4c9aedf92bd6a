package loadbalancer

// Port is one port of the load balancer: a listener and its pool.
type Port struct {
	Port               int                 `json:"port" rule:"required,min=1,max=65535" doc:"Port that clients connect to."`
	Protocol           string              `json:"protocol" rule:"required,enum=http|https|terminatedHTTPS|tcp|udp|sctp" doc:"The protocol of clients. https is passed through unchanged, and the machines have the certificates. With terminatedHTTPS the load balancer has the certificates, see tls."`
	Option             any                 `json:"option,omitempty" doc:"Accepted, but has no effect: OpenStack has no such function."`
	Algorithm          *string             `json:"algorithm,omitempty" rule:"enum=roundRobin|leastConnections|sourceIP|sourceIPPort,default=roundRobin" doc:"How connections are distributed to the machines."`
	AllowedCIDRs       []string            `json:"allowedCidrs,omitempty" rule:"format=cidr" doc:"Networks from which clients may connect; all if left out."`
	Timeouts           *Timeouts           `json:"timeouts,omitempty" doc:"How long a connection may have no traffic before it is closed. The cloud decides values that are left out."`
	ConnectionLimit    *int                `json:"connectionLimit,omitempty" rule:"min=1,max=2147483647" doc:"How many connections are possible at the same time; no limit if left out."`
	InsertHeaders      []string            `json:"insertHeaders,omitempty" rule:"unique,enum=X-Forwarded-For|X-Forwarded-Port|X-Forwarded-Proto|X-SSL-Client-Verify|X-SSL-Client-Has-Cert|X-SSL-Client-DN|X-SSL-Client-CN|X-SSL-Issuer|X-SSL-Client-SHA1|X-SSL-Client-Not-Before|X-SSL-Client-Not-After" doc:"Headers that the load balancer adds to requests, with http and terminatedHTTPS. Headers with SSL in their name are only possible with terminatedHTTPS."`
	SessionPersistence *SessionPersistence `json:"sessionPersistence,omitempty" rule:"whole" doc:"Sends the connections of a client to the same machine."`
	TLS                *TLS                `json:"tls,omitempty" doc:"Certificates, and requirements for clients. Required with protocol terminatedHTTPS, and only possible with it."`
	L7Policies         []L7Policy          `json:"l7Policies,omitempty" rule:"max=200,apart" doc:"Rules for requests that do not go to realServers, with http and terminatedHTTPS."`
	RealServers        RealServers         `json:"realServers" rule:"required,whole" cuts:"no machine answers there any more" doc:"The machines behind this port. At least one of virtualMachineGroupRef, virtualMachineRefs, serverRefs, addresses and members is required."`
	Monitors           []Monitor           `json:"monitors,omitempty" rule:"apart" doc:"Health checks of the machines. Octavia has one monitor for a port: the first is used."`
}

// Timeouts are in milliseconds.
type Timeouts struct {
	Client        *int `json:"client,omitempty" api:"timeout_client_data" show:"-" rule:"min=0,max=31536000000" doc:"Longest time without traffic from a client, in milliseconds."`
	MemberConnect *int `json:"memberConnect,omitempty" api:"timeout_member_connect" show:"-" rule:"min=0,max=31536000000" doc:"Longest time for the connection to a machine, in milliseconds."`
	Member        *int `json:"member,omitempty" api:"timeout_member_data" show:"-" rule:"min=0,max=31536000000" doc:"Longest time without traffic from a machine, in milliseconds."`
}

// RealServers are the machines that answer.
type RealServers struct {
	Protocol               *string  `json:"protocol,omitempty" rule:"enum=http|https|tcp|udp|sctp|proxy|proxyv2" doc:"Protocol of the machines; the protocol of the clients if left out."`
	Port                   *int     `json:"port,omitempty" rule:"min=1,max=65535" doc:"Port of the machines; the load balancer's port if left out."`
	VirtualMachineGroupRef *string  `json:"virtualMachineGroupRef,omitempty" rule:"min=1" doc:"All machines of this VirtualMachineGroup."`
	VirtualMachineRefs     []string `json:"virtualMachineRefs,omitempty" rule:"unique,max=1000" doc:"These VirtualMachines, each at its first port."`
	ServerRefs             []string `json:"serverRefs,omitempty" rule:"unique,max=1000" doc:"These Servers, each at its first port."`
	Addresses              []string `json:"addresses,omitempty" rule:"unique,format=ip,max=1000" doc:"Members by address." example:"10.0.0.10"`

	Members []RealServer `json:"members,omitempty" rule:"max=1000,objects" doc:"Members with a weight or a port of their own, and backup members. If a member is named here and above, the settings here apply."`

	// PortRefs are the ports of the machines that the fields refer to. PortlessRefs are the servers whose ports are not
	// in the repository. GroupRefs are all groups that the fields refer to. They are needed because a group
	// without machines has no ports.
	PortRefs     []string `json:"-" ref:"Port" from:"."`
	PortlessRefs []string `json:"-" ref:"Server" from:"."`
	GroupRefs    []string `json:"-" ref:"VirtualMachineGroup,order" from:"."`
}

// RealServer is one machine that answers, or the machines of a group.
type RealServer struct {
	Address                *string `json:"address,omitempty" rule:"format=ip" doc:"Address of the member. One of address, virtualMachineRef, virtualMachineGroupRef and serverRef is needed." example:"10.0.0.10"`
	VirtualMachineRef      *string `json:"virtualMachineRef,omitempty" rule:"min=1" doc:"This VirtualMachine, at its first port."`
	VirtualMachineGroupRef *string `json:"virtualMachineGroupRef,omitempty" rule:"min=1" doc:"All machines of this VirtualMachineGroup."`
	ServerRef              *string `json:"serverRef,omitempty" rule:"min=1" doc:"This Server, at its first port."`
	Port                   *int    `json:"port,omitempty" rule:"min=1,max=65535" doc:"Port of the member; realServers.port if left out."`
	Weight                 *int    `json:"weight,omitempty" rule:"min=0,max=256,default=1" doc:"Share of connections for the member, relative to the weights of the others. With 0, the member keeps its present connections, and gets no new ones."`
	Backup                 *bool   `json:"backup,omitempty" rule:"default=false" doc:"Whether this member is used only while no other one is healthy."`

	PortRefs     []string `json:"-" ref:"Port" from:"."`
	PortlessRefs []string `json:"-" ref:"Server" from:"."`
}

// SessionPersistence says how a client is recognised.
type SessionPersistence struct {
	Type        string  `json:"type" rule:"required,enum=sourceIP|httpCookie|appCookie" doc:"How a client is recognised: by its address, by a cookie that the load balancer sets, or by a cookie of the application, whose name is cookieName."`
	CookieName  *string `json:"cookieName,omitempty" rule:"min=1,max=255,pattern=^[!#$%&'*+.^_|~0-9A-Za-z-]+$" doc:"The application's cookie, for appCookie."`
	Timeout     *int    `json:"timeout,omitempty" rule:"min=1,max=2147483647" doc:"Seconds for which a client is remembered, for udp and sctp."`
	Granularity *string `json:"granularity,omitempty" rule:"format=ip" doc:"Network mask. Clients within the same network count as one client, for udp and sctp." example:"255.255.255.0"`
}

// TLS is the configuration of a listener that terminates TLS. A field names a secret by the repository's BarbicanSecret,
// or by its address in Barbican. An ID alone is not enough: by default, Octavia reads the secret from Barbican itself,
// and then it refuses an ID.
type TLS struct {
	BarbicanRef          *string  `json:"barbicanRef,omitempty" rule:"max=255,pattern=^((https?://[^\\s]+/)?[0-9a-fA-F-]{36}|[a-z0-9][-.a-z0-9]*)$" doc:"The certificate with its key: the name of a BarbicanSecret (PKCS12, application/octet-stream), or the address of a Barbican secret or certificate container. Required if sniBarbicanRefs is empty." example:"shop-cert"`
	SNIBarbicanRefs      []string `json:"sniBarbicanRefs,omitempty" rule:"unique,max=100,pattern=^((https?://[^\\s]+/)?[0-9a-fA-F-]{36}|[a-z0-9][-.a-z0-9]*)$" doc:"Further certificates, each for its own host names."`
	Ciphers              *string  `json:"ciphers,omitempty" rule:"max=2048,pattern=^[A-Za-z0-9+!:@=_.-]+$" doc:"Ciphers as OpenSSL lists them; the cloud decides if left out." example:"ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384"`
	Versions             []string `json:"versions,omitempty" rule:"unique,enum=SSLv3|TLSv1|TLSv1.1|TLSv1.2|TLSv1.3" doc:"Versions that clients may use; the cloud decides if left out."`
	ALPNProtocols        []string `json:"alpnProtocols,omitempty" rule:"unique,enum=h2|http/1.1|http/1.0" doc:"Protocols that are offered to clients; the cloud decides if left out."`
	ClientCABarbicanRef  *string  `json:"clientCABarbicanRef,omitempty" rule:"max=255,pattern=^((https?://[^\\s]+/)?[0-9a-fA-F-]{36}|[a-z0-9][-.a-z0-9]*)$" doc:"The authority that must have signed the certificates of clients: a BarbicanSecret with PEM, or the address of a Barbican secret."`
	ClientCRLBarbicanRef *string  `json:"clientCRLBarbicanRef,omitempty" rule:"max=255,pattern=^((https?://[^\\s]+/)?[0-9a-fA-F-]{36}|[a-z0-9][-.a-z0-9]*)$" doc:"Revocation list of that authority: a BarbicanSecret with PEM, or the address of a Barbican secret."`
	ClientAuthentication *string  `json:"clientAuthentication,omitempty" rule:"enum=none|optional|mandatory,default=none" doc:"Whether clients show a certificate. optional and mandatory need clientCABarbicanRef."`

	// SecretRefs are the references above that name a BarbicanSecret.
	SecretRefs []string `json:"-" ref:"BarbicanSecret" from:"."`
}

// Monitor says how Octavia checks whether a machine can answer.
type Monitor struct {
	Protocol       string  `json:"protocol" rule:"required,enum=http|https|tcp|tls|udp|sctp|ping" doc:"Protocol of the health checks."`
	Port           *int    `json:"port,omitempty" rule:"min=1,max=65535" doc:"Port of the health checks; realServers.port if left out."`
	Endpoint       *string `json:"endpoint,omitempty" rule:"max=2048,pattern=^/[^\\s]*$" doc:"Path that must answer with expectedCodes, for http and https; / if left out."`
	Delay          *int    `json:"delay,omitempty" rule:"min=1,max=86400,default=5" doc:"Seconds between two checks."`
	Timeout        *int    `json:"timeout,omitempty" rule:"min=1,max=86400,default=3" doc:"Seconds to wait for an answer; less than delay."`
	Retries        *int    `json:"retries,omitempty" rule:"min=1,max=10,default=3" doc:"Number of good answers in a row until a machine is used again."`
	MaxRetriesDown *int    `json:"maxRetriesDown,omitempty" rule:"min=1,max=10,default=3" doc:"Number of bad answers in a row until a machine is no longer used."`
	HTTPMethod     *string `json:"httpMethod,omitempty" rule:"enum=GET|HEAD|POST|PUT|DELETE|TRACE|OPTIONS|PATCH|CONNECT,default=GET" doc:"HTTP method of the checks, for http and https."`
	ExpectedCodes  *string `json:"expectedCodes,omitempty" rule:"max=64,pattern=^([0-9]{3}(\\s*,\\s*[0-9]{3})*|[0-9]{3}-[0-9]{3})$" doc:"Status codes of a good answer, for http and https: a code, a list or a range; 200 if left out." example:"200,202"`
	DomainName     *string `json:"domainName,omitempty" rule:"min=1,max=255,pattern=^[a-zA-Z0-9.-]+$" doc:"Host that the requests name, in HTTP 1.1; for http and https."`
}
