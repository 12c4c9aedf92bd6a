package trace

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Configured returns the sender for an address. headers is a text of lines with headers. Both may be ""; then
// the environment variables of OpenTelemetry replace them. Configured returns nil if there is no address. Its
// errors contain no header.
func Configured(address, headers string, env func(string) string) (*Sender, error) {
	field := "--traces-url"
	if address == "" {
		address, field = fromEnvironment(env)
	}
	if address == "" {
		return nil, nil
	}
	to, err := url.Parse(address)
	if err != nil || to.Host == "" || to.User != nil || to.Scheme != "https" && to.Scheme != "http" {
		return nil, fmt.Errorf("%s: is not an address of a receiver; write it as https://host:4318/v1/traces", field)
	}
	s := &Sender{To: to, Service: "stackreeve"}
	if name := env("OTEL_SERVICE_NAME"); name != "" {
		s.Service = name
	}
	pairs := strings.FieldsFunc(headers, func(r rune) bool { return r == '\n' })
	if headers == "" {
		for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"} {
			if len(pairs) == 0 && env(name) != "" {
				pairs = strings.Split(env(name), ",")
			}
		}
	}
	if s.Headers, err = parseHeaders(pairs); err != nil {
		return nil, err
	}
	if len(s.Headers) > 0 && to.Scheme == "http" && !outbound.Loopback(to.Hostname()) {
		return nil, fmt.Errorf("%s: headers of traces may be secret, so they are sent over https only; use https, or no headers", field)
	}
	return s, nil
}

// fromEnvironment returns the address in the environment, and the name of its variable.
func fromEnvironment(env func(string) string) (address, variable string) {
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_TRACES_EXPORTER") == "none" {
		return "", ""
	}
	if address := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); address != "" {
		return address, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	}
	base := env("OTEL_EXPORTER_OTLP_ENDPOINT")
	if base == "" {
		return "", ""
	}
	return strings.TrimSuffix(base, "/") + "/v1/traces", "OTEL_EXPORTER_OTLP_ENDPOINT"
}

// parseHeaders parses texts NAME=VALUE. The value may be escaped as in addresses. (W3C Baggage)
func parseHeaders(pairs []string) (map[string]string, error) {
	headers := map[string]string{}
	for _, pair := range pairs {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" || strings.ContainsAny(name, " :\t\r\n") || strings.ContainsAny(value, "\r\n") {
			return nil, errors.New("the headers of traces cannot be read; write them as NAME=VALUE")
		}
		headers[name] = value
	}
	return headers, nil
}
