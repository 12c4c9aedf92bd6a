package trace

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// The types below are the request ExportTraceServiceRequest, as far as it is used here. IDs are hexadecimal,
// and times are texts with nanoseconds. (opentelemetry.io/docs/specs/otlp, JSON Protobuf Encoding)
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	span struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		Parent     string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes,omitempty"`
		Status     status      `json:"status"`
	}
	status struct {
		Code int `json:"code,omitempty"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		Text string `json:"stringValue"`
	}
)

const (
	internal = 1 // SPAN_KIND_INTERNAL
	failed   = 2 // STATUS_CODE_ERROR
)

// encode returns a request that exports a trace. pass is the parent of all other spans.
func (t *Trace) encode(pass Span, service, version string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped > 0 {
		pass.Attributes = maps.Clone(pass.Attributes)
		pass.Attributes["stackreeve.spans_dropped"] = strconv.Itoa(t.dropped)
	}
	spans := []span{t.span(pass, t.root, "")}
	for _, s := range t.spans {
		spans = append(spans, t.span(s, random(8), t.root))
	}
	about := resource{attributes(map[string]string{"service.name": service, "service.version": version})}
	text, _ := json.Marshal(request{[]resourceSpans{{about, []scopeSpans{{scope{"stackreeve", version}, spans}}}}}) // this cannot fail, because the request contains only texts and numbers
	return text
}

func (t *Trace) span(s Span, id, parent string) span {
	out := span{TraceID: t.id, SpanID: id, Parent: parent, Name: s.Name, Kind: internal, Start: nanos(s.Start), End: nanos(s.End), Attributes: attributes(s.Attributes)}
	if s.Failed {
		out.Status.Code = failed
	}
	return out
}

func nanos(at time.Time) string { return strconv.FormatInt(at.UnixNano(), 10) }

func attributes(of map[string]string) (list []attribute) {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		list = append(list, attribute{key, value{of[key]}})
	}
	return list
}
