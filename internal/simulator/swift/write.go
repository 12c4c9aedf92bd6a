package swift

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

const metaPrefix = "X-Container-Meta-"

// put makes a container. If the container exists, put changes it and answers 202. (swift/container/server.py:
// PUT)
func (s *Swift) put(c *oslo.Call) (*oslo.Response, error) {
	name, all, asked := c.PathValue("container"), s.account(c), c.Header.Get("X-Storage-Policy")
	at := slices.IndexFunc(policies, func(policy string) bool { return strings.EqualFold(policy, asked) })
	if asked != "" && at < 0 {
		return nil, bad("Invalid X-Storage-Policy '%s'", asked)
	}
	if len(name) > 256 {
		return nil, bad("Container name length of %d longer than 256", len(name))
	}
	if err := checkMetadata(c.Header, metaPrefix); err != nil {
		return nil, err
	}
	policy := policies[max(at, 0)]
	one, there := all[name]
	if there && asked != "" && policy != one.Policy {
		return nil, refused(http.StatusConflict, "There was a conflict when trying to complete your request.")
	}
	if !there {
		one = &Container{Name: name, Policy: policy, Headers: map[string]string{}, Objects: map[string]*Object{}, Created: c.Now}
	}
	if err := one.write(c.Header); err != nil {
		return nil, err
	}
	if all[name] = one; there {
		return oslo.Accepted([]byte("<html><h1>Accepted</h1><p>The request is accepted for processing.</p></html>")).With("Content-Type", "text/html; charset=UTF-8"), nil
	}
	return oslo.Created(nil), nil
}

func (s *Swift) post(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if err := checkMetadata(c.Header, metaPrefix); err != nil {
		return nil, err
	}
	if err := one.write(c.Header); err != nil {
		return nil, err
	}
	return oslo.NoContent(), nil
}

// write stores all headers of a request, or none. Headers that the request does not contain are not changed. A
// header with an empty value is deleted. X-Remove- deletes a header unless the request also writes it.
// (swift/proxy/controllers/base.py: transfer_headers)
func (one *Container) write(sent http.Header) error {
	after := maps.Clone(one.Headers)
	for name := range sent {
		if bare, removed := strings.CutPrefix(name, "X-Remove-"); removed && bare != "Versions-Enabled" {
			delete(after, "X-"+bare)
		}
	}
	for name, values := range sent {
		value, kept, err := accepted(name, strings.Join(values, ","))
		switch {
		case err != nil:
			return err
		case kept && value == "":
			delete(after, name)
		case kept:
			after[name] = value
		}
	}
	if err := checkSum(after, metaPrefix); err != nil {
		return err
	}
	one.Headers = after
	return nil
}

// accepted returns the value of a header as Swift stores it. kept is false if Swift does not store the header.
func accepted(name, value string) (as string, kept bool, err error) {
	switch name {
	case "X-Container-Read", "X-Container-Write":
		as, err = cleaned(name, value)
		return as, true, err
	case "X-Versions-Enabled": // swift/common/middleware/versioned_writes/object_versioning.py
		if value == "" {
			return "", false, nil
		}
		return map[bool]string{true: "True", false: "False"}[oslo.Truthy(value)], true, nil
	case metaPrefix + "Quota-Bytes", metaPrefix + "Quota-Count":
		if strings.Trim(value, "0123456789") != "" { // swift/common/middleware/container_quotas.py
			return "", false, bad("Invalid %s quota.", strings.ToLower(strings.TrimPrefix(name, metaPrefix+"Quota-")))
		}
	}
	return value, strings.HasPrefix(name, metaPrefix), nil
}

// cleaned mirrors swift/common/middleware/acl.py: clean_acl.
func cleaned(name, value string) (string, error) {
	var out []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		word, host, referrer := strings.Cut(part, ":")
		if !referrer || !slices.Contains([]string{".r", ".ref", ".referer", ".referrer"}, strings.TrimSpace(word)) {
			if strings.HasPrefix(part, ".") && referrer {
				return "", bad("Unknown designator '%s' in ACL: '%s'", word, part)
			}
			out = append(out, part)
			continue
		}
		if name == "X-Container-Write" {
			return "", bad("Referrers not allowed in write ACL: '%s'", part)
		}
		host, refuses := strings.CutPrefix(strings.TrimSpace(host), "-")
		if host != "*" {
			host = strings.TrimPrefix(host, "*")
		}
		if host == "" || host == "." {
			return "", bad("No host/domain value after referrer designation in ACL: '%s'", part)
		}
		out = append(out, ".r:"+map[bool]string{true: "-"}[refuses]+host)
	}
	return strings.Join(out, ","), nil
}

// checkMetadata checks the metadata of a request. (swift/common/constraints.py: check_metadata)
func checkMetadata(sent http.Header, prefix string) error {
	own := map[string]string{}
	for name, values := range sent {
		key, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		value := strings.Join(values, ",")
		switch own[name] = value; {
		case key == "":
			return bad("Metadata name cannot be empty")
		case len(key) > 128:
			return bad("Metadata name too long: %s%s", strings.ToLower(prefix), key)
		case len(value) > 256:
			return bad("Metadata value longer than 256: %s%s", strings.ToLower(prefix), key)
		}
	}
	return checkSum(own, prefix)
}

// checkSum checks the number of metadata entries, and their total length. (swift/common/db.py:
// validate_metadata)
func checkSum(all map[string]string, prefix string) error {
	count, size := 0, 0
	for name, value := range all {
		if key, ok := strings.CutPrefix(name, prefix); ok {
			count, size = count+1, size+len(key)+len(value)
		}
	}
	switch {
	case count > 90:
		return bad("Too many metadata items; max 90")
	case size > 4096:
		return bad("Total metadata too large; max 4096")
	}
	return nil
}
