package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A server that boots from a volume has no image: Nova shows none, and which one is on
// the volume is a field of that. Nova can write another image to the volume all the
// same, and nobody else can while the server has it. So where the server's annotation says
// imageRef=rebuild, the image that the Volume's manifest names is written by the server's step, and the
// Volume's own step leaves it alone.

// expandBoot has the server look after the image of the volume that it boots from, where
// its annotation asks for that and the Volume's does not ask for something else.
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

// joinImages reads what is on the volumes of servers that boot from one and bear a mark,
// and whether the cloud can write another image to them.
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

// images lists what volumes were made from. Where the cloud does not let us see volumes
// nothing is known of them.
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

// outdated says what the cloud lacks to write an image to the volume that a server boots
// from, to be read after "rebuild"; "" where it can.
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

// compareImage compares the image, or that of the volume that the server boots from where
// a rebuild is to write it.
func compareImage(w want, have *object, c *kind.Changes) {
	if w.Spec.BootImageRef == "" {
		kind.Link(c, imageField, have.Spec.ImageRef, w.Ref("Image", w.Spec.ImageRef), kind.Replace)
		return
	}
	boot, _ := bootVolume(w)
	if on := have.More.Images[boot]; on != "" { // else compareBoot reports it, or the step of the Volume
		kind.Link(c, imageField, on, w.Ref("Image", w.Spec.BootImageRef), kind.Replace)
	}
}

// noRebuild says why a server cannot be rebuilt.
func noRebuild(w want, have *object, _ string) string {
	boot, _ := bootVolume(w)
	switch {
	case (boot == "") != (have.Spec.ImageRef != ""):
		return "needs a server that boots from what the manifest says, and this one does not"
	case boot == "":
		return ""
	case len(have.More.Volumes) == 0 || have.More.Volumes[0].ID != boot: // the first is that which it boots from
		return "needs a server that boots from the volume that the manifest says, and this one does not"
	case have.More.Outdated != "":
		return have.More.Outdated
	case have.More.Images[boot] == "":
		return "needs to know the image on the volume that the server boots from, and the cloud shows none"
	}
	return ""
}

// diskLoss says what is lost where it is not the local disk.
func diskLoss(have *object) string {
	if have.Spec.ImageRef == "" {
		return "all data on the volume that it boots from"
	}
	return ""
}

// imageOf is the image that a rebuild writes, and the microversion that it takes: the one
// that is there, unless another one shall be.
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
