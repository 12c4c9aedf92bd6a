package glance

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func checkFilters(q url.Values) error {
	if v := q.Get("visibility"); v != "" && !slices.Contains([]string{"public", "private", "shared", "community", "all"}, v) {
		return badRequest("Invalid visibility value: %s", v)
	}
	for _, key := range []string{"size_min", "size_max"} {
		if v := q.Get(key); v != "" {
			if _, err := strconv.Atoi(v); err != nil {
				return badRequest("Unable to filter on a range with a non-numeric value.")
			}
		}
	}
	for _, key := range []string{"created_at", "updated_at"} {
		v := q.Get(key)
		if _, after, found := strings.Cut(v, ":"); found && !strings.HasPrefix(v, "2") {
			v = after
		}
		if _, err := time.Parse("2006-01-02", v[:min(10, len(v))]); q.Has(key) && err != nil {
			return badRequest("Bad \"%s\" query filter format. Use ISO 8601 DateTime notation.", key)
		}
	}
	if v := q.Get("member_status"); v != "" && !slices.Contains([]string{"pending", "accepted", "rejected", "all"}, v) {
		return badRequest("Invalid status: %s", v)
	}
	if v := q.Get("os_hidden"); q.Has("os_hidden") && !slices.Contains([]string{"true", "false"}, strings.ToLower(v)) {
		return badRequest("Invalid value '%s' for 'os_hidden' filter. Valid values are 'true' or 'false'.", v)
	}
	return nil
}

// listed reports whether a list shows an image before its filters apply. Community images are shown only on
// request. Shared images are shown only to members that accepted them.
func listed(c *oslo.Caller, i *Image, q url.Values) bool {
	own := i.Owner == c.ProjectID
	switch v := q.Get("visibility"); {
	case v != "" && v != "all" && i.Visibility != v:
		return false
	case v == "" && i.Visibility == "community" && !own:
		return false
	}
	if own || i.Visibility == "public" || i.Visibility == "community" || c.Admin() {
		return true
	}
	status := q.Get("member_status")
	if status == "" {
		status = "accepted"
	}
	return i.Visibility == "shared" && slices.ContainsFunc(i.members, func(m *member) bool {
		return m.Member == c.ProjectID && (status == "all" || m.Status == status)
	})
}

func fits(i *Image, q url.Values) bool {
	if i.Hidden != oslo.Truthy(q.Get("os_hidden")) {
		return false
	}
	for key, words := range q {
		if slices.Contains(notFilters, key) || key == "os_hidden" || key == "visibility" {
			continue
		}
		if key == "tag" {
			for _, w := range words {
				if !slices.Contains(i.Tags, w) {
					return false
				}
			}
			continue
		}
		if !i.matches(key, words[0]) {
			return false
		}
	}
	return true
}

func (i *Image) matches(key, word string) bool {
	number, _ := strconv.Atoi(word)
	switch key {
	case "size_min":
		return i.Size() >= number
	case "size_max":
		return i.Size() <= number
	case "min_ram":
		return i.MinRAM == number
	case "min_disk":
		return i.MinDisk == number
	case "protected":
		return i.Protected == oslo.Truthy(word)
	case "created_at", "updated_at":
		stamp := i.Created
		if key == "updated_at" {
			stamp = i.Updated
		}
		return compareStamp(oslo.Stamp(stamp), word)
	}
	value, ok := i.attribute(key)
	if !ok {
		return false
	}
	if list, in := strings.CutPrefix(word, "in:"); in && slices.Contains([]string{"name", "status", "id", "container_format", "disk_format"}, key) {
		return slices.Contains(strings.Split(list, ","), value)
	}
	return value == word
}

func (i *Image) attribute(key string) (string, bool) {
	switch key {
	case "name":
		return text(i.Name), true
	case "id":
		return i.ID, true
	case "status":
		return i.Status, true
	case "owner":
		return i.Owner, true
	case "checksum":
		return i.checksum, true
	case "os_hash_value":
		return i.hash, true
	case "os_hash_algo":
		return "sha512", i.hash != ""
	case "container_format":
		return text(i.ContainerFormat), true
	case "disk_format":
		return text(i.DiskFormat), true
	}
	v, ok := i.Properties[key]
	return v, ok
}

// compareStamp compares a time with a filter such as "gt:2026-…".
func compareStamp(have, word string) bool {
	op, want, found := strings.Cut(word, ":")
	switch {
	case found && op == "gt":
		return have > want
	case found && op == "gte":
		return have >= want
	case found && op == "lt":
		return have < want
	case found && op == "lte":
		return have <= want
	case found && op == "neq":
		return have != want
	case found && op == "eq":
		return have == want
	}
	return have == word
}
