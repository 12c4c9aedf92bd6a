package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Nova shows no image for a server that boots from a volume, because the image is a field of the
// volume. While the server has the volume attached, only Nova can write another image to it, by a
// rebuild of the server.
//
// If the server has the annotation imageRef=rebuild, the server's step therefore writes the image of
// the Volume's manifest to the volume. The Volume's own step ignores that image.

// expandBoot makes the server responsible for the image of its boot volume, if the server's annotation
// asks for rebuild and the Volume's annotations do not ask for anything else.
func expandBoot(s *Spec, e *kind.Expansion) {
	if s.BootVolume == nil || e.Way(imageField) != byRebuild {
		return
	}
	name := s.BootVolume.VolumeRef
	if images, ok := e.Entrusted("Volume", name, imageField, "Image"); ok {
		s.BootImageRef = images[0]
		return
	}
	e.Note(imageField, "rebuild cannot write another image to Volume/"+name+": its manifest names no image, has annotations that do not allow the change, or does not exist")
}

// joinImages reads the images on the volumes from which marked servers boot. It also finds out whether
// the cloud can write another image to such a volume.
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

// images returns the images from which volumes were created, by the ID of the volume. If the cloud does
// not show volumes, their images are unknown.
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

// outdated returns a text that names the API version which the cloud lacks to write an image to a boot
// volume; "" if the cloud can do that. The text continues a sentence after the word "rebuild".
func outdated(ctx context.Context, c *cloud.Client) (string, error) {
	for _, need := range []struct{ service, version string }{{cloud.Compute, withVolumeAtRebuild}, {cloud.BlockStorage, withReimage}} {
		have, err := c.Microversion(ctx, need.service, need.version)
		switch {
		case unseen(err):
			return fmt.Sprintf("needs the %s service, which the catalog of this cloud does not have", need.service), nil
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

// compareImage compares the server's image. If a rebuild has to write the image of the boot volume, it
// compares that image instead.
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

// noRebuild returns why a server cannot be rebuilt; "" if it can.
func noRebuild(w want, have *object, _ string) string {
	boot, _ := bootVolume(w)
	switch {
	case (boot == "") != (have.Spec.ImageRef != ""):
		return "needs a server with the boot source of the manifest, but this server has another"
	case boot == "":
		return ""
	case len(have.More.Volumes) == 0 || have.More.Volumes[0].ID != boot: // Nova lists the boot volume first
		return "needs a server that boots from the volume in the manifest, but this server does not"
	case have.More.Outdated != "":
		return have.More.Outdated
	case have.More.Images[boot] == "":
		return "needs to know the image on the boot volume, but the cloud does not show an image"
	}
	return ""
}

// diskLoss names the data that a change destroys on the boot volume; "" if the server has a local disk.
func diskLoss(have *object) string {
	if have.Spec.ImageRef == "" {
		return "all data on its boot volume"
	}
	return ""
}

// imageOf returns the image that a rebuild writes, and the microversion that it needs. Without a
// declared image, it is the image that the server has.
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
