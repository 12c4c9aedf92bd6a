package swiftcontainer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
)

const (
	metaPrefix = "X-Container-Meta-"
	// secretPrefix is the prefix of metadata that are keys for signing temporary URLs. They
	// are not read.
	secretPrefix = "temp-url-key"
)

// settings maps each attribute of a container to the header that holds it, and to a
// function that reads the header. (api-ref/source/storage-container-services.inc)
var settings = map[string]struct {
	header string
	read   func(text string) any // returns nil if the text cannot be read
}{
	"read_acl":    {"X-Container-Read", commas},
	"write_acl":   {"X-Container-Write", commas},
	"quota_bytes": {metaPrefix + "Quota-Bytes", number},
	"quota_count": {metaPrefix + "Quota-Count", number},
	"versions":    {"X-Versions-Enabled", func(text string) any { return strings.EqualFold(text, "true") }},
	"origins":     {metaPrefix + "Access-Control-Allow-Origin", func(text string) any { return strings.Fields(text) }},
	"exposed":     {metaPrefix + "Access-Control-Expose-Headers", func(text string) any { return strings.Fields(text) }},
	"max_age":     {metaPrefix + "Access-Control-Max-Age", number},
	"policy":      {"X-Storage-Policy", func(text string) any { return text }},
}

// reservedName reports whether metadata of that name hold a setting that has its own field,
// or a secret.
func reservedName(name string) bool {
	for _, s := range settings {
		if strings.EqualFold(s.header, metaPrefix+name) {
			return true
		}
	}
	return strings.HasPrefix(name, "access-control-") || strings.HasPrefix(name, "quota-") || strings.HasPrefix(name, secretPrefix)
}

func commas(text string) any {
	list := []string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

func number(text string) any {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	return n
}

// attributes reads a container's attributes from its headers. If a header appears twice,
// its values are joined, so they are not read as a mark.
func attributes(name string, h http.Header) (table.Attributes, error) {
	values := map[string]any{"name": name, "objects": number(h.Get("X-Container-Object-Count")), "bytes": number(h.Get("X-Container-Bytes-Used")), "created": created(h.Get("X-Timestamp"))}
	for attribute, s := range settings {
		if text := h.Get(s.header); text != "" {
			values[attribute] = s.read(text)
		}
	}
	metadata := map[string]string{}
	for header, texts := range h {
		if key, ok := strings.CutPrefix(header, metaPrefix); ok && !reservedName(strings.ToLower(key)) {
			metadata[strings.ToLower(key)] = strings.Join(texts, ", ")
		}
	}
	values["metadata"] = metadata
	out := table.Attributes{}
	for attribute, value := range values {
		if value == nil {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		out[attribute] = text
	}
	return out, nil
}

func created(text string) any {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds < 0 || seconds > 1e11 {
		return nil
	}
	return table.Timestamp(time.Unix(int64(seconds), 0))
}

// requested returns the headers of a request that writes settings. If a setting is empty, a
// header removes it.
func requested(fields map[string]any) map[string]string {
	out := map[string]string{}
	for attribute, s := range settings {
		value, given := fields[attribute]
		if !given {
			continue
		}
		between := " "
		if strings.HasSuffix(attribute, "_acl") {
			between = ","
		}
		if text := written(value, between); text != "" {
			out[s.header] = text
		} else {
			out[removal(s.header)] = "x"
		}
	}
	return out
}

func written(value any, between string) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(value))
		for i := range value {
			parts[i] = fmt.Sprint(value[i])
		}
		return strings.Join(parts, between)
	}
	return fmt.Sprint(value)
}

// removal returns the header that removes the given header.
func removal(header string) string { return "X-Remove-" + strings.TrimPrefix(header, "X-") }
