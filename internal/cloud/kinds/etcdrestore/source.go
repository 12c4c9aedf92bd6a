package etcdrestore

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// seek finds the snapshot that a manifest selects. If there is none, it sets s.trouble to the reason.
func (d driver) seek(ctx context.Context, around kind.Hosts, containers []string, key manifest.Key, spec *Spec, s *State) (err error) {
	var found []etcdstore.Object
	switch spec.source() {
	case fromS3:
		found, s.trouble, err = d.inContainer(ctx, spec.S3.Container(), spec.S3.Object(), "spec.s3.path", "spec.s3.path")
	case fromBackup:
		found, s.trouble, err = d.ofBackup(ctx, around, containers, manifest.Key{Kind: "EtcdBackup", Namespace: key.Namespace, Name: spec.BackupRef})
	case fromSwift:
		container := containerOf(around, key.Namespace, spec.Swift.Container)
		if container == "" {
			s.trouble = fmt.Sprintf("spec.swift.container: there is no container %s in the project; name one that openstack container list shows", printable.Line(spec.Swift.Container))
			return nil
		}
		found, s.trouble, err = d.inContainer(ctx, container, spec.Swift.Object, "spec.swift.container", "spec.swift.object")
	}
	switch {
	case errors.Is(err, etcdstore.ErrTooMany): // this must not stop other restores, so it is not an error of the list
		s.trouble = err.Error() + ", or name a snapshot: swift: {container, object}, or s3: {path}"
		return nil
	case err != nil || s.trouble != "":
		return err
	}
	newest := slices.MaxFunc(found, func(a, b etcdstore.Object) int { return a.At().Compare(b.At()) })
	if s.trouble = unfit(&newest); s.trouble == "" {
		s.source = &newest
	}
	return nil
}

// ofBackup returns the snapshots of one of the stack's series, from all containers that may have some.
func (d driver) ofBackup(ctx context.Context, around kind.Hosts, containers []string, backup manifest.Key) (found []etcdstore.Object, trouble string, err error) {
	owner := ownertext.Of(around.Stack, backup)
	o, _ := ownertext.Parse(owner)
	for _, c := range containers {
		all, err := d.store.List(ctx, c, etcdstore.Series(o.Stack, backup), etcdstore.IsSnapshot)
		if err != nil {
			return nil, "", err
		}
		for _, one := range all {
			if one.Whole() && one.Mark.Owner == owner && one.Mark.Rivals == "" && one.Copied == "" && !one.Elsewhere {
				found = append(found, one)
			}
		}
	}
	if len(found) == 0 {
		trouble = fmt.Sprintf("spec.backupRef: there is no complete snapshot of EtcdBackup/%s; name another EtcdBackup, or an object: swift: {container, object}, or s3: {path}", backup.Name)
	}
	return found, trouble, nil
}

// inContainer returns all snapshots of a container, or only the named one. there and which are the fields of the
// container's and the object's names, for messages.
func (d driver) inContainer(ctx context.Context, container, object, there, which string) (found []etcdstore.Object, trouble string, err error) {
	if object != "" {
		one, err := d.store.Head(ctx, container, object)
		if errors.Is(err, kind.ErrGone) {
			return nil, fmt.Sprintf("%s: there is no object %s in %s; name an existing object", which, printable.Line(object), container), nil
		}
		return []etcdstore.Object{one}, "", err
	}
	all, err := d.store.List(ctx, container, "", etcdstore.IsSnapshot)
	type line struct{ folder, project string } // several clouds may share a bucket, and may have stacks of the same name
	series := map[line]bool{}
	for _, one := range all {
		if one.Notes[etcdstore.Sum] != "" {
			found = append(found, one)
			series[line{path.Dir(one.Name), one.Notes[etcdstore.Project]}] = true
		}
	}
	switch {
	case err != nil:
	case len(found) == 0:
		trouble = fmt.Sprintf("%s: there is no complete snapshot in %s; name another place", there, container)
	case len(series) > 1:
		trouble = fmt.Sprintf("%s: names no snapshot, and %s has the snapshots of %d series, each with a folder and a project of its own; name one snapshot by its full name", which, container, len(series))
	}
	return found, trouble, err
}

// containerOf returns the name in the cloud of the container that the manifest names, or "" if the project has none.
func containerOf(around kind.Hosts, namespace, name string) string {
	key := manifest.Key{Kind: "SwiftContainer", Namespace: namespace, Name: name}
	if own := around.Owned("SwiftContainer")[ownertext.Of(around.Stack, key)]; own != nil {
		return own.ID
	}
	for _, c := range around.Have["SwiftContainer"].Items {
		if c.InOwnProject && c.ID == name {
			return c.ID
		}
	}
	return ""
}

var sumForm = pattern.Of(`^[0-9a-f]{64}$`)

// unfit returns the reason why an object cannot be restored, according to its metadata, or "" if there is none.
func unfit(o *etcdstore.Object) string {
	name := printable.Line(o.ID())
	switch sum := o.Notes[etcdstore.Sum]; {
	case !sumForm.MatchString(strings.ToLower(sum)):
		return fmt.Sprintf("the object %s has no SHA-256 digest in its metadata, so nobody can know whether it is complete; name another object, or, if you know that this one is complete, run: %s", name, etcdstore.SayingSum(o.Container, printable.Line(o.Name)))
	case o.Size == 0:
		return fmt.Sprintf("the object %s is empty; name another object", name)
	case o.Size > etcdstore.Largest:
		return fmt.Sprintf("the object %s has %d bytes, more than %d GiB; name another object", name, o.Size, int64(etcdstore.Largest)>>30)
	}
	return ""
}
