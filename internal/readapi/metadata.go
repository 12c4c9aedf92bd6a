package readapi

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

type metadata struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	OwnerReferences []reference       `json:"ownerReferences,omitempty"`
	UID             string            `json:"uid"`
	Created         string            `json:"creationTimestamp,omitempty"`
	ResourceVersion string            `json:"resourceVersion"`
}

// reference is an owner reference in the metadata of an item.
type reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
}

func (i item) metadata(version int) metadata {
	m := metadata{Name: i.name, Namespace: i.namespace, Labels: i.labels, UID: uid(i.namespace, i.gvk, i.id()), Created: i.created, ResourceVersion: strconv.Itoa(version)}
	if i.owner != (owner{}) {
		of := i.owner
		m.OwnerReferences = []reference{{of.gvk.APIVersion(), of.gvk.Kind, of.id.name, uid(i.namespace, of.gvk, of.id)}}
	}
	return m
}

// uid returns the ID by which programs distinguish items. Kubernetes generates one for each object. Here it is computed from the stack, the
// kind and the name of the item. So it is the same after a restart, and the uid of an owner or of an event's object needs no lookup.
func uid(stack string, gvk manifest.GroupVersionKind, of id) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{stack, gvk.Group, gvk.Kind, of.within, of.name}, "\x00")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8, which is free for custom schemes
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// stamp returns a time in the format of Kubernetes, or "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
