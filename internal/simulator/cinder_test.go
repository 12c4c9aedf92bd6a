package simulator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/quotasets"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/snapshots"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

func storage(t *testing.T, s *simulator.Server, user string) *gophercloud.ServiceClient {
	t.Helper()
	c, err := openstack.NewBlockStorageV3(login(t, s, user), gophercloud.EndpointOpts{Region: "RegionOne"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// volumeIs fails the test unless a volume has a status.
func volumeIs(t *testing.T, c *gophercloud.ServiceClient, id, want string) *volumes.Volume {
	t.Helper()
	v, err := volumes.Get(t.Context(), c, id).Extract()
	if err != nil {
		t.Fatal(err)
	}
	if v.Status != want {
		t.Errorf("volume is %s, want %s", v.Status, want)
	}
	return v
}

func TestVolumeOnAServer(t *testing.T) {
	p := newSite(t, simulator.Options{BuildDelay: time.Second})
	c := storage(t, p.s, "demo")
	id := p.create(p.opts("s"), nil)
	v, err := volumes.Create(t.Context(), c, volumes.CreateOpts{Name: "v", Size: 1, Metadata: map[string]string{"k": "v"}}, nil).Extract()
	if err != nil || v.Status != "creating" || v.VolumeType != "fake" {
		t.Fatal(v, err)
	}
	p.now = p.now.Add(2 * time.Second)
	volumeIs(t, c, v.ID, "available")
	a, err := volumeattach.Create(t.Context(), p.c, id, volumeattach.CreateOpts{VolumeID: v.ID}).Extract()
	if err != nil || a.Device != "/dev/vdb" {
		t.Fatal(a, err)
	}
	volumeIs(t, c, v.ID, "reserved")
	p.now = p.now.Add(2 * time.Second)
	if v := volumeIs(t, c, v.ID, "in-use"); len(v.Attachments) != 1 || v.Attachments[0].ServerID != id {
		t.Errorf("attachments: %+v", v.Attachments)
	}
	if err := volumes.Delete(t.Context(), c, v.ID, nil).ExtractErr(); status(err) != http.StatusBadRequest {
		t.Errorf("delete of a volume in use: %v", err)
	}
	if list := p.get(id).AttachedVolumes; len(list) != 1 || list[0].ID != v.ID {
		t.Errorf("volumes of the server: %+v", list)
	}
	if err := servers.Delete(t.Context(), p.c, id).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	p.now = p.now.Add(2 * time.Second)
	volumeIs(t, c, v.ID, "available")
}

func TestServerBootsFromVolume(t *testing.T) {
	p := newSite(t, simulator.Options{})
	c := storage(t, p.s, "demo")
	o := p.opts("bfv")
	o.ImageRef = ""
	o.BlockDevice = []servers.BlockDevice{{SourceType: servers.SourceImage, UUID: p.image, DestinationType: servers.DestinationVolume, VolumeSize: 2, BootIndex: 0, DeleteOnTermination: true}}
	id := p.create(o, nil)
	got := p.get(id)
	if got.Status != "ACTIVE" || len(got.Image) != 0 || len(got.AttachedVolumes) != 1 {
		t.Fatalf("server on a volume: %s %v %v", got.Status, got.Image, got.AttachedVolumes)
	}
	root := got.AttachedVolumes[0].ID
	if v := volumeIs(t, c, root, "in-use"); v.Size != 2 || v.Bootable != "true" {
		t.Errorf("root volume: %+v", v)
	}
	if err := servers.Delete(t.Context(), p.c, id).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := servers.Get(t.Context(), p.c, id).Err; status(err) != http.StatusNotFound {
		t.Errorf("server: %v", err)
	}
	if err := volumes.Get(t.Context(), c, root).Err; status(err) != http.StatusNotFound {
		t.Errorf("root volume after its server: %v", err)
	}
}

func TestVolumesGrowAndKeepTheirSnapshots(t *testing.T) {
	s := start(t, simulator.Options{})
	c := storage(t, s, "demo")
	v, err := volumes.Create(t.Context(), c, volumes.CreateOpts{Name: "v", Size: 1, VolumeType: "ssd"}, nil).Extract()
	if err != nil {
		t.Fatal(err)
	}
	if err := volumes.ExtendSize(t.Context(), c, v.ID, volumes.ExtendSizeOpts{NewSize: 3}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if v := volumeIs(t, c, v.ID, "available"); v.Size != 3 {
		t.Errorf("size %d after the extension", v.Size)
	}
	snap, err := snapshots.Create(t.Context(), c, snapshots.CreateOpts{VolumeID: v.ID, Name: "s"}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	if err := volumes.Delete(t.Context(), c, v.ID, nil).ExtractErr(); status(err) != http.StatusBadRequest || !strings.Contains(body(err), "have snapshots") {
		t.Errorf("delete of a volume with a snapshot: %v", err)
	}
	from, err := volumes.Create(t.Context(), c, volumes.CreateOpts{SnapshotID: snap.ID}, nil).Extract()
	if err != nil || from.Size != 3 || from.VolumeType != "ssd" {
		t.Errorf("volume of a snapshot: %+v, %v", from, err)
	}
	if err := snapshots.Delete(t.Context(), c, snap.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := volumes.Delete(t.Context(), c, v.ID, nil).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := volumes.Get(t.Context(), c, v.ID).Err; status(err) != http.StatusNotFound {
		t.Errorf("after the delete: %v", err)
	}
}

func TestCinderQuotas(t *testing.T) {
	s := start(t, simulator.Options{})
	c := storage(t, s, "demo")
	v, err := volumes.Create(t.Context(), c, volumes.CreateOpts{Size: 1}, nil).Extract()
	if err != nil {
		t.Fatal(err)
	}
	got, err := volumes.Get(t.Context(), c, v.ID).Extract()
	if err != nil {
		t.Fatal(err)
	}
	one := 1
	if _, err := quotasets.Update(t.Context(), storage(t, s, "admin"), got.TenantID, quotasets.UpdateOpts{Volumes: &one}).Extract(); err != nil {
		t.Fatal(err)
	}
	_, err = volumes.Create(t.Context(), c, volumes.CreateOpts{Size: 1}, nil).Extract()
	if status(err) != http.StatusRequestEntityTooLarge || !strings.Contains(body(err), "VolumeLimitExceeded: Maximum number of volumes allowed (1) exceeded for quota 'volumes'.") {
		t.Errorf("second volume: %v", err)
	}
}
