package simulator_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/imagedata"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

func imageService(t *testing.T, s *simulator.Server, user string) *gophercloud.ServiceClient {
	t.Helper()
	c, err := openstack.NewImageV2(login(t, s, user), gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestImageFromUploadToDelete(t *testing.T) {
	s := start(t, simulator.Options{})
	c := imageService(t, s, "demo")
	protected := true
	i, err := images.Create(t.Context(), c, images.CreateOpts{Name: "i", DiskFormat: "raw", ContainerFormat: "bare", Tags: []string{"a"}, Protected: &protected,
		Properties: map[string]string{"os_distro": "x"}}).Extract()
	if err != nil || i.Status != images.ImageStatusQueued || i.Visibility != images.ImageVisibilityShared {
		t.Fatal(i, err)
	}
	if err := imagedata.Upload(t.Context(), c, i.ID, strings.NewReader("bytes")).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	got, err := images.Get(t.Context(), c, i.ID).Extract()
	if err != nil || got.Status != images.ImageStatusActive || got.SizeBytes != 5 || got.Checksum != "4b3a6218bb3e3a7303e8a171a60fcf92" || got.Properties["os_distro"] != "x" {
		t.Errorf("active image: %+v, %v", got, err)
	}
	data, err := imagedata.Download(t.Context(), c, i.ID).Extract()
	if err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(data); err != nil || string(all) != "bytes" {
		t.Errorf("contents: %q, %v", all, err)
	}
	if err := images.Delete(t.Context(), c, i.ID).ExtractErr(); status(err) != http.StatusForbidden {
		t.Errorf("delete of a protected image: %v", err)
	}
	patch := images.UpdateOpts{images.ReplaceImageProtected{NewProtected: false}, images.ReplaceImageName{NewName: "j"},
		images.UpdateImageProperty{Op: images.AddOp, Name: "p", Value: "v"}, images.UpdateImageProperty{Op: images.RemoveOp, Name: "os_distro"}}
	got, err = images.Update(t.Context(), c, i.ID, patch).Extract()
	if err != nil || got.Name != "j" || got.Properties["p"] != "v" || got.Properties["os_distro"] != nil {
		t.Errorf("patched image: %+v, %v", got, err)
	}
	if _, err := images.Update(t.Context(), c, i.ID, images.UpdateOpts{images.UpdateVisibility{Visibility: images.ImageVisibilityPublic}}).Extract(); status(err) != http.StatusForbidden {
		t.Errorf("public by a member: %v", err)
	}
	if err := images.Delete(t.Context(), c, i.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := images.Get(t.Context(), c, i.ID).Err; status(err) != http.StatusNotFound {
		t.Errorf("after the delete: %v", err)
	}
}

func TestImagesAreSeenByWhomTheyShould(t *testing.T) {
	s := start(t, simulator.Options{})
	mine, other := imageService(t, s, "demo"), imageService(t, s, "demo2")
	for visibility, seen := range map[images.ImageVisibility]struct{ get, list bool }{
		images.ImageVisibilityPrivate: {}, images.ImageVisibilityShared: {}, images.ImageVisibilityCommunity: {get: true},
	} {
		name := string(visibility)
		i, err := images.Create(t.Context(), mine, images.CreateOpts{Name: name, Visibility: &visibility}).Extract()
		if err != nil {
			t.Fatal(err)
		}
		if err := images.Get(t.Context(), other, i.ID).Err; (err == nil) != seen.get {
			t.Errorf("%s image of another project: %v", name, err)
		}
		pages, err := images.List(other, images.ListOpts{Name: name}).AllPages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if list, err := images.ExtractImages(pages); err != nil || (len(list) == 1) != seen.list {
			t.Errorf("%s images of another project in its list: %v, %v", name, list, err)
		}
	}
}

func TestImageListsPage(t *testing.T) {
	s := start(t, simulator.Options{})
	c := imageService(t, s, "demo")
	for i := range 30 {
		if _, err := images.Create(t.Context(), c, images.CreateOpts{Name: fmt.Sprintf("i%02d", i), Tags: []string{"mine"}}).Extract(); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := images.List(c, images.ListOpts{Tags: []string{"mine"}, Sort: "name:asc"}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := images.ExtractImages(pages)
	if err != nil || len(list) != 30 || !slices.IsSortedFunc(list, func(a, b images.Image) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%d images, %v", len(list), err)
	}
}
