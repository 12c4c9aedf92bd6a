package etcdrestore

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// seek finds the snapshot that a manifest means, or says why there is none.
func (d driver) seek(ctx context.Context, around kind.Around, key manifest.Key, spec *Spec, s *State) (err error) {
	var found []etcdstore.Object
	if spec.Swift == nil {
		found, s.trouble, err = d.ofBackup(ctx, around, manifest.Key{Kind: "EtcdBackup", Namespace: key.Namespace, Name: spec.BackupRef})
	} else {
		container := containerOf(around, key.Namespace, spec.Swift.Container)
		if container == "" {
			s.trouble = fmt.Sprintf("spec.swift.container: there is no container %s in the project; name one that openstack container list shows", printable.Line(spec.Swift.Container))
			return nil
		}
		found, s.trouble, err = d.inContainer(ctx, container, spec.Swift.Object)
	}
	switch {
	case errors.Is(err, etcdstore.ErrTooMany): // others are not to wait for that
		s.trouble = err.Error() + ", or name a snapshot: swift: {container, object}"
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

// ofBackup are the snapshots of a series of the stack, in all containers of the project.
func (d driver) ofBackup(ctx context.Context, around kind.Around, backup manifest.Key) (found []etcdstore.Object, trouble string, err error) {
	owner := kind.OwnerText(around.Stack, backup)
	o, _ := kind.ParseOwner(owner)
	for _, c := range around.Have["SwiftContainer"].Items {
		if !c.Mine {
			continue
		}
		all, err := d.store.List(ctx, c.ID, etcdstore.Series(o.Stack, backup), etcdstore.IsSnapshot)
		if err != nil {
			return nil, "", err
		}
		for _, one := range all {
			if one.Whole() && one.Mark.Owner == owner && one.Mark.Rivals == "" && one.Copied == "" {
				found = append(found, one)
			}
		}
	}
	if len(found) == 0 {
		trouble = fmt.Sprintf("spec.backupRef: there is no whole snapshot of EtcdBackup/%s in Swift; name another one, or an object: swift: {container, object}", backup.Name)
	}
	return found, trouble, nil
}

// inContainer are the snapshots in a container, or the one of a name.
func (d driver) inContainer(ctx context.Context, container, object string) (found []etcdstore.Object, trouble string, err error) {
	if object != "" {
		one, err := d.store.Head(ctx, container, object)
		if errors.Is(err, kind.ErrGone) {
			return nil, fmt.Sprintf("spec.swift.object: there is no object %s in the container %s; name one that openstack object list %[2]s shows", printable.Line(object), container), nil
		}
		return []etcdstore.Object{one}, "", err
	}
	all, err := d.store.List(ctx, container, "", etcdstore.IsSnapshot)
	series := map[string]bool{}
	for _, one := range all {
		if one.Notes[etcdstore.Sum] != "" {
			found = append(found, one)
			series[path.Dir(one.Name)] = true
		}
	}
	switch {
	case err != nil:
	case len(found) == 0:
		trouble = fmt.Sprintf("spec.swift.container: there is no whole snapshot in the container %s; name another one", container)
	case len(series) > 1:
		trouble = fmt.Sprintf("spec.swift.object: is missing, and the container %s has snapshots of %d series; name one of the snapshots", container, len(series))
	}
	return found, trouble, err
}

// containerOf is the name in the cloud of what a manifest calls a container; "" for none of the project.
func containerOf(around kind.Around, namespace, name string) string {
	key := manifest.Key{Kind: "SwiftContainer", Namespace: namespace, Name: name}
	if own := around.Owned("SwiftContainer")[kind.OwnerText(around.Stack, key)]; own != nil {
		return own.ID
	}
	for _, c := range around.Have["SwiftContainer"].Items {
		if c.Mine && c.ID == name {
			return c.ID
		}
	}
	return ""
}

var sumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// unfit says why an object cannot be restored, as far as its metadata show that; "" when nothing does.
func unfit(o *etcdstore.Object) string {
	name := o.Container + "/" + printable.Line(o.Name)
	switch sum := o.Notes[etcdstore.Sum]; {
	case !sumForm.MatchString(strings.ToLower(sum)):
		return fmt.Sprintf("the object %s does not say its SHA-256 digest, so nobody can know whether it is whole; name another one, or, where you know that it is: openstack object set --property stackreeve-sha256=DIGEST %s %s", name, o.Container, printable.Line(o.Name))
	case o.Size == 0:
		return fmt.Sprintf("the object %s is empty; name another one", name)
	case o.Size > etcdstore.Largest:
		return fmt.Sprintf("the object %s has %d bytes, more than %d GiB; name another one", name, o.Size, int64(etcdstore.Largest)>>30)
	}
	return ""
}
