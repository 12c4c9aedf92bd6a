package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Nova shows no image for a server that boots from a volume: the image is a field of the volume. Nova
// can still write another image to that volume, and nobody else can while the server has it attached.
//
// With the annotation imageRef=rebuild on the server, its step therefore writes the image of the
// Volume's manifest. The Volume's own step ignores that image.

// expandBoot makes the server responsible for the image of its boot volume, if its annotation asks for
// that and the Volume's annotation asks for nothing else.
func expandBoot(s *Spec, e *kind.Expansion) {
	if s.BootVolume == nil || e.Way(imageField) != byRebuild {
		return
	}
	name := s.BootVolume.VolumeRef
	if images, ok := e.Entrusted("Volume", name, imageField, "Image"); ok {
		s.BootImageRef = images[0]
		return
	}
	e.Note(imageField, "rebuild writes no other image to Volume/"+name+": its manifest, if there is one, names none, or has annotations that say something else")
}

// joinImages reads the images on the volumes of marked servers that boot from a volume. It also finds
// out whether the cloud can write another image to such a volume.
func joinImages(ctx context.Context, d driver, servers []*state) error {
	var booted []*state
	for _, s := range servers {
		if s.Mark != nil && s.Spec.ImageRef == "" && len(s.More.Volumes) > 0 {
			booted = append(booted, s)
		}
	}
	if len(booted) == 0 {
		return nil
	}
	outdated, err := outdated(ctx, d.Client)
	if err != nil {
		return err
	}
	images, err := images(ctx, d.Client)
	for _, s := range booted {
		s.More.Images, s.More.Outdated = images, outdated
	}
	return err
}

// images lists the images from which volumes were created. Where the cloud does not show volumes, their
// images are unknown.
func images(ctx context.Context, c *cloud.Client) (map[string]string, error) {
	type volume struct {
		ID    string `json:"id"`
		Image struct {
			ID string `json:"image_id"`
		} `json:"volume_image_metadata"`
	}
	list := map[string]string{}
	err := cloud.Each(ctx, c, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail"}, "volumes", func(v volume) error {
		if v.Image.ID != "" {
			list[v.ID] = v.Image.ID
		}
		return nil
	})
	if unseen(err) {
		return nil, nil
	}
	return list, err
}

// outdated names the API versions that the cloud lacks for writing an image to a boot volume. The text
// continues after "rebuild"; it is "" where the cloud can do so.
func outdated(ctx context.Context, c *cloud.Client) (string, error) {
	for _, need := range []struct{ service, version string }{{cloud.Compute, withVolumeAtRebuild}, {cloud.BlockStorage, withReimage}} {
		have, err := c.Microversion(ctx, need.service, need.version)
		switch {
		case unseen(err):
			return fmt.Sprintf("needs the %s service, which this cloud does not show", need.service), nil
		case err != nil:
			return "", err
		case have != need.version:
			return fmt.Sprintf("of a server that boots from a volume needs microversion %s of the %s service, which OpenStack Zed and later have, and this cloud has %s", need.version, need.service, have), nil
		}
	}
	return "", nil
}

func unseen(err error) bool {
	return errors.Is(err, kind.ErrNoService) || errors.Is(err, kind.ErrForbidden) || errors.Is(err, kind.ErrRejected) || errors.Is(err, kind.ErrGone)
}

// compareImage compares the server's image, or the image of its boot volume if a rebuild is to write
// that.
func compareImage(w want, have *object, c *kind.Changes) {
	if w.Spec.BootImageRef == "" {
		kind.Link(c, imageField, have.Spec.ImageRef, w.Ref("Image", w.Spec.ImageRef), kind.Replace)
		return
	}
	boot, _ := bootVolume(w)
	if on := have.More.Images[boot]; on != "" { // otherwise compareBoot or the step of the Volume reports it
		kind.Link(c, imageField, on, w.Ref("Image", w.Spec.BootImageRef), kind.Replace)
	}
}

// noRebuild says why a server cannot be rebuilt.
func noRebuild(w want, have *object, _ string) string {
	boot, _ := bootVolume(w)
	switch {
	case (boot == "") != (have.Spec.ImageRef != ""):
		return "needs a server with the boot source of the manifest, and this one does not"
	case boot == "":
		return ""
	case len(have.More.Volumes) == 0 || have.More.Volumes[0].ID != boot: // the first volume is the boot volume
		return "needs a server that boots from the volume that the manifest says, and this one does not"
	case have.More.Outdated != "":
		return have.More.Outdated
	case have.More.Images[boot] == "":
		return "needs to know the image on the volume that the server boots from, and the cloud shows none"
	}
	return ""
}

// diskLoss names the lost data if it is not on the local disk.
func diskLoss(have *object) string {
	if have.Spec.ImageRef == "" {
		return "all data on the volume that it boots from"
	}
	return ""
}

// imageOf is the image that a rebuild writes, and the microversion that it needs. It is the existing
// image, unless another one is declared.
func imageOf(n change) (id, microversion string) {
	boot, _ := bootVolume(n.Want)
	switch {
	case boot == "" && !kind.Has(n.Changes, imageField):
		return n.Have.State.Spec.ImageRef, ""
	case boot == "":
		return n.Want.Ref("Image", n.Want.Spec.ImageRef).ID, ""
	case kind.Has(n.Changes, imageField):
		return n.Want.Ref("Image", n.Want.Spec.BootImageRef).ID, withVolumeAtRebuild
	}
	return n.Have.State.More.Images[boot], withVolumeAtRebuild
}
