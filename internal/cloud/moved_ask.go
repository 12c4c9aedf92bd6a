package cloud

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// errTooOld is the error of a question that the service is too old to answer.
var errTooOld = errors.New("the service is too old to show them")

// errTooMany is the error of a question whose answers are too long.
var errTooMany = fmt.Errorf("there are more than %d objects", maxRevisions)

// ask asks a question, and stores the answer. changed reports whether it differs from the last answer; it is true for the first one. paths are the collections that have changed;
// nil stands for all of the service.
func (p *Probe) ask(ctx context.Context, service string, q *probeQuestion) (paths []string, changed bool, err error) {
	one := p.of[service]
	before, known := one.seen[q.path]
	var now seen
	paths = q.shows
	switch q.form {
	case counts:
		now.count, err = p.counts(ctx, service)
		paths, changed = movedCounts(before.count, now.count)
	case header:
		now.sum, err = p.containers(ctx, service)
		changed = now.sum != before.sum
	case same:
		now, err = p.listed(ctx, service, q, before)
		changed = now.sum != before.sum
	case since:
		now, err = p.listed(ctx, service, q, before)
		changed = now.shows(before)
	}
	if err != nil {
		return nil, false, err
	}
	if one.seen[q.path] = now; !known {
		return q.shows, true, nil
	}
	return paths, changed, nil
}

// shows reports whether an answer has an object that was not in the answer before. An object without a revision always counts, because
// it may have changed again.
func (s seen) shows(before seen) bool {
	for key := range s.keys {
		if strings.HasSuffix(key, "@") || !before.keys[key] {
			return true
		}
	}
	return false
}

// listed asks for a list.
func (p *Probe) listed(ctx context.Context, service string, q *probeQuestion, before seen) (seen, error) {
	if q.version != "" {
		have, err := p.client.Microversion(ctx, service, q.version)
		if err == nil && have != q.version {
			err = errTooOld
		}
		if err != nil {
			return seen{}, err
		}
	}
	from := before.at
	if from.IsZero() {
		from = time.Now()
	}
	stamp := from.Add(-overlap).UTC().Format(time.RFC3339)
	path := strings.NewReplacer("PROJECT", url.QueryEscape(p.client.ProjectID), "SINCE", url.QueryEscape(stamp)).Replace(q.path)
	var answer map[string]any
	headers, err := p.client.do(ctx, Call{Service: service, Method: http.MethodGet, Path: path, Into: &answer, Microversion: q.version})
	if err != nil {
		return seen{}, err
	}
	now := seen{at: time.Now(), keys: map[string]bool{}}
	if date, err := http.ParseTime(headers.Get("Date")); err == nil {
		now.at = date
	}
	for _, value := range answer {
		list, _ := value.([]any) // a link is no list of objects
		for _, one := range list {
			if object, ok := one.(map[string]any); ok && object["id"] != nil {
				now.keys[keyOf(object)] = true
			}
		}
	}
	if strings.HasSuffix(q.path, withLimit) && len(now.keys) > maxRevisions {
		return seen{}, errTooMany
	}
	if q.form == same {
		text, err := json.Marshal(answer) // with sorted keys
		sum := sha256.Sum256(text)
		now.sum, now.keys = string(sum[:]), nil // such answers are compared as a whole
		return now, err
	}
	return now, nil
}

// keyOf returns the ID of an object with its revision. Without a revision, the key ends in @.
func keyOf(object map[string]any) string {
	key := fmt.Sprintf("%.100v@", object["id"])
	if revision, ok := object["revision_number"].(float64); ok {
		key += fmt.Sprint(revision)
	}
	return key
}

// counts asks how much of each quota is used.
func (p *Probe) counts(ctx context.Context, service string) (map[string]int64, error) {
	quotas, err := p.client.Quotas(ctx, service)
	count := make(map[string]int64, len(quotas))
	for name, q := range quotas {
		count[name] = q.Used
	}
	return count, err
}

// movedCounts reports whether the use of quotas has changed, and in which collections; nil stands for all of the service.
func movedCounts(before, now map[string]int64) (paths []string, changed bool) {
	unknown := false
	for name, n := range now {
		if was, ok := before[name]; ok && was == n {
			continue
		}
		changed = true
		of := quotaCollections[name]
		if kind, _, ok := strings.Cut(name, "_"); of == nil && ok {
			of = quotaCollections[kind] // Cinder has quotas for each type, such as volumes_ssd
		}
		unknown = unknown || of == nil
		paths = append(paths, of...)
	}
	if unknown {
		return nil, true
	}
	return paths, changed
}

// containers asks how many containers a Swift account has. The number and the size of objects change with every upload, and no stack describes them.
func (p *Probe) containers(ctx context.Context, service string) (string, error) {
	headers, err := p.client.Head(ctx, service, "")
	return headers.Get("X-Account-Container-Count"), err
}
