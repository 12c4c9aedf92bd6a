package virtualmachinegroup

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// These are the defaults of probes.
const (
	interval  = 10
	timeout   = 3
	threshold = 3
)

func validateProbes(list []Probe, r *kind.Report) {
	for i, p := range list {
		field := fmt.Sprintf("spec.probes[%d]", i)
		if (p.Type == "tcp" || p.Type == "grpc") && p.Path != "" {
			r.Problem(field+".path", "means nothing to "+p.Type, "remove it, or use http")
		}
		if p.Type != "grpc" && p.Service != "" {
			r.Problem(field+".service", "means nothing to "+p.Type, "remove it, or use grpc")
		}
		if strings.ContainsFunc(p.Service, unprintable) {
			r.Problem(field+".service", "is not the name of a service", "write it like shop.Cart")
		}
		if p.Type == "tcp" && p.Host != "" {
			r.Problem(field+".host", "has no effect with tcp", "remove it, or use http")
		}
		if p.Path != "" && (p.Path[0] != '/' || strings.ContainsFunc(p.Path, unprintable)) {
			r.Problem(field+".path", "is no path", "begin it with /, and write other characters than letters, digits and punctuation as %XX")
		}
		if strings.ContainsFunc(p.Host, unprintable) || strings.ContainsAny(p.Host, "/@ ") {
			r.Problem(field+".host", "is no host", "write it like shop.example.org")
		}
	}
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// probes converts the probes to the types of package rollout.
func probes(list []Probe) (out []rollout.Probe) {
	seconds := func(given *int, otherwise int) time.Duration {
		return time.Duration(table.Or(given, otherwise)) * time.Second
	}
	for _, p := range list {
		one := rollout.Probe{Type: p.Type, Port: p.Port, Host: p.Host, Service: p.Service, Interval: seconds(p.IntervalSeconds, interval), Timeout: seconds(p.TimeoutSeconds, timeout),
			Delay: time.Duration(p.InitialDelaySeconds) * time.Second, Threshold: table.Or(p.Threshold, threshold)}
		if p.Type != "tcp" && p.Type != "grpc" {
			one.Path = cmp.Or(p.Path, "/")
		}
		out = append(out, one)
	}
	return out
}
