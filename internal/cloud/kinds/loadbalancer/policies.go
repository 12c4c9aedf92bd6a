package loadbalancer

import "strconv"

// L7Policy says how the load balancer handles requests that match all rules of the policy.
type L7Policy struct {
	Name             *string       `json:"name,omitempty" rule:"min=1,max=63,pattern=^[a-z0-9]+([.-]+[a-z0-9]+)*$" doc:"Name by which the policy is recognised when others are added, removed or moved. If left out, it is recognised by its content."`
	Position         *int          `json:"position,omitempty" rule:"min=1,max=2147483647" doc:"Policies with a lower position are evaluated first. Policies without a position come last, in the order of the list."`
	Action           string        `json:"action" rule:"required,enum=redirectToPool|redirectToUrl|redirectPrefix|reject" doc:"Effect on matching requests."`
	RedirectPool     *RedirectPool `json:"redirectPool,omitempty" doc:"The pool that answers, for redirectToPool."`
	RedirectURL      *string       `json:"redirectURL,omitempty" rule:"min=1,max=255,pattern=^https?://[^\\s/]+[^\\s]*$" doc:"Address to which clients are redirected, for redirectToUrl." example:"https://example.org/gone"`
	RedirectPrefix   *string       `json:"redirectPrefix,omitempty" rule:"min=1,max=255,pattern=^https?://[^\\s/]+[^\\s]*$" doc:"Address to which clients are redirected, with the path of the request added, for redirectPrefix." example:"https://example.org"`
	RedirectHTTPCode *int          `json:"redirectHTTPCode,omitempty" rule:"enum=301|302|303|307|308" doc:"Status of the answer, for redirectToUrl and redirectPrefix; 302 if left out."`
	Rules            []L7Rule      `json:"rules" rule:"required,min=1,max=50" doc:"A request must match all rules."`
}

// RedirectPool is the pool that answers in place of the realServers of the
// port.
type RedirectPool struct {
	Algorithm          *string             `json:"algorithm,omitempty" rule:"enum=roundRobin|leastConnections|sourceIP|sourceIPPort,default=roundRobin" doc:"How connections are distributed to the machines."`
	SessionPersistence *SessionPersistence `json:"sessionPersistence,omitempty" rule:"whole" doc:"Sends the connections of a client to the same machine."`
	RealServers        RealServers         `json:"realServers" rule:"required,whole" cuts:"no machine answers there any more" doc:"Machines of the pool, as in the port."`
	Monitors           []Monitor           `json:"monitors,omitempty" rule:"apart" doc:"Health checks of the machines, as in the port."`
}

// L7Rule is a condition on a request.
type L7Rule struct {
	Type        string  `json:"type" rule:"required,enum=hostName|path|fileType|header|cookie|sslConnHasCert|sslVerifyResult|sslDNField" doc:"The part of the request that is compared. Types with SSL need terminatedHTTPS."`
	CompareType string  `json:"compareType" rule:"required,enum=regex|startsWith|endsWith|contains|equalTo" doc:"How that part of the request is compared with value."`
	Key         *string `json:"key,omitempty" rule:"min=1,max=255,pattern=^[^\\r\\n]+$" doc:"Name of the header, of the cookie or of the field of the certificate's subject, such as CN."`
	Value       string  `json:"value" rule:"required,min=1,max=255,pattern=^[^\\r\\n]+$" doc:"Value for the comparison."`
	Invert      *bool   `json:"invert,omitempty" rule:"default=false" doc:"true: the rule matches the requests for which the comparison is false."`
}

// Policy is an L7 policy of a listener.
type Policy struct {
	child
	ListenerID string  `json:"listenerID" api:"listener_id"`
	Name       string  `json:"policy.name" api:"name"`
	Up         bool    `json:"policy.adminStateUp" api:"admin_state_up" rule:"required"`
	Position   int     `json:"position" api:"position"`
	Action     string  `json:"action" api:"action"`
	PoolID     string  `json:"redirectPool" api:"redirect_pool_id"`
	URL        string  `json:"redirectURL" api:"redirect_url,null"`
	Prefix     string  `json:"redirectPrefix" api:"redirect_prefix,null"`
	Code       int     `json:"redirectHTTPCode" api:"redirect_http_code"`
	RuleIDs    []link  `json:"rules" api:"rules,unwritten"`
	Rules      []*Rule `json:"-"`
	Pool       *Pool   `json:"-"` // the wanted pool; nil if the policy redirects to none

	number int // the position in the manifest's list, from 1, if the manifest gives the policy no name
}

// Rule is an L7 rule of a policy.
type Rule struct {
	child
	Up      bool   `json:"adminStateUp" api:"admin_state_up" rule:"required"`
	Type    string `json:"type" api:"type"`
	Compare string `json:"compareType" api:"compare_type"`
	Key     string `json:"key" api:"key,null"`
	Value   string `json:"value" api:"value"`
	Invert  bool   `json:"invert" api:"invert" rule:"required"`
}

// String returns the rule as a text for people, which is also used to compare rules.
func (r *Rule) String() string {
	text := r.Type
	if r.Key != "" {
		text += " " + r.Key
	}
	if r.Invert {
		text += " not"
	}
	text += " " + r.Compare + " " + strconv.Quote(r.Value)
	if !r.Up {
		text += " disabled"
	}
	return text
}

// children calls visit for each L7 policy of a listener, and for each rule of the policies.
func (l *Listener) children(visit func(what string, c *child)) {
	for _, p := range l.Policies {
		visit("L7 policy "+p.Name, &p.child)
		for _, r := range p.Rules {
			visit("rule of L7 policy "+p.Name, &r.child)
		}
	}
}
