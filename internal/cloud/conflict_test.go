package cloud_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// For each service, a refusal has another meaning: waiting helps, or does not help. If a quota is
// exceeded, other objects of the kind cannot be created, either. Each service reports that with
// another status (K-ORC issue 667).
func TestConflictByService(t *testing.T) {
	const other = `{"message": "it is the other way round"}`
	for _, c := range []struct {
		service string
		status  int
		words   string
		class   error
		usedUp  bool
	}{
		{cloud.Identity, 409, other, kind.ErrRejected, false},
		{cloud.Compute, 409, other, kind.ErrBusy, false},
		{cloud.Compute, 403, `{"forbidden": {"message": "Quota exceeded for cores: Requested 1, but already used 20 of 20 cores"}}`, kind.ErrRejected, true},
		{cloud.Compute, 409, `{"conflictingRequest": {"code": 409, "message": "Instance 1 is locked"}}`, kind.ErrRejected, false},
		{cloud.Compute, 409, `{"conflictingRequest": {"code": 409, "message": "Cannot 'resize' instance 1 while it is in vm_state paused"}}`, kind.ErrRejected, false},
		{cloud.Compute, 409, `{"conflictingRequest": {"code": 409, "message": "Cannot 'delete' instance 1 while it is in task_state migrating"}}`, kind.ErrBusy, false},
		{cloud.Compute, 409, `{"conflictingRequest": {"code": 409, "message": "Cannot 'resize' instance 1 while it is in vm_state building"}}`, kind.ErrBusy, false},
		{cloud.Network, 409, `{"NeutronError": {"type": "RouterInterfaceInUseByRoute", "message": "Router interface for subnet 1 on router 2 cannot be deleted, as it is required by one or more routes."}}`, kind.ErrRejected, false},
		{cloud.Network, 409, `{"NeutronError": {"type": "RouterInterfaceInUseByFloatingIP", "message": "Router interface for subnet 1 on router 2 cannot be deleted, as it is required by one or more floating IPs."}}`, kind.ErrBusy, false},
		{cloud.DNS, 400, `{"code": 400, "type": "bad_request", "message": "Can not update a deleting zone"}`, kind.ErrBusy, false},
		{cloud.Compute, 400, `{"badRequest": {"message": "Invalid volume: Volume 1 status must be available or in-use or downloading to reserve, but the current status is backing-up."}}`, kind.ErrBusy, false},
		{cloud.Compute, 400, `{"badRequest": {"message": "Invalid volume: Volume 1 status must be available or in-use, but the current status is error."}}`, kind.ErrRejected, false},
		{cloud.BlockStorage, 400, `{"badRequest": {"message": "Invalid volume: Volume status must be available, but current status is extending."}}`, kind.ErrBusy, false},
		{cloud.Network, 400, `{"NeutronError": {"message": "the current status is extending"}}`, kind.ErrRejected, false},
		{cloud.BlockStorage, 400, `{"badRequest": {"message": "Invalid volume: Volume to be backed up must be available or in-use, but the current status is \"attaching\"."}}`, kind.ErrBusy, false},
		{cloud.BlockStorage, 400, `{"badRequest": {"message": "Invalid volume: Volume 1 status must be available, but current status is: creating."}}`, kind.ErrBusy, false},
		{cloud.BlockStorage, 400, `{"badRequest": {"message": "Invalid volume: Volume 1 status must be available, but current status is: error."}}`, kind.ErrRejected, false},
		{cloud.DNS, 400, `{"code": 400, "type": "zone_has_sub_zone", "message": "Please delete any subzones before deleting this zone"}`, kind.ErrBusy, false},
		{cloud.DNS, 400, `{"code": 400, "type": "zone_shared", "message": "This zone is shared with other projects, please remove these shares before deleting"}`, kind.ErrRejected, false},
		{cloud.Network, 409, other, kind.ErrBusy, false},
		{cloud.Network, 409, `{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['port']."}}`, kind.ErrRejected, true},
		{cloud.Network, 409, `{"NeutronError": {"type": "IpAddressGenerationFailure", "message": "No more IP addresses available"}}`, kind.ErrRejected, true},
		{cloud.Network, 400, `{"NeutronError": {"type": "ExternalIpAddressExhausted", "message": "Unable to find any IP address on external network 1."}}`, kind.ErrRejected, true},
		{cloud.Image, 409, other, kind.ErrBusy, false},
		{cloud.BlockStorage, 413, `{"overLimit": {"message": "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'."}}`, kind.ErrRejected, true},
		{cloud.BlockStorage, 413, `{"overLimit": {"message": "Requested volume or snapshot exceeds allowed gigabytes quota."}}`, kind.ErrRejected, true},
		{cloud.BlockStorage, 413, `{"overLimit": {"message": "SnapshotLimitExceeded: Maximum number of snapshots allowed (10) exceeded"}}`, kind.ErrRejected, true},
		{cloud.BlockStorage, 413, `{"overLimit": {"message": "BackupLimitExceeded: Maximum number of backups allowed (10) exceeded"}}`, kind.ErrRejected, true},
		{cloud.BlockStorage, 413, `{"overLimit": {"message": "VolumeBackupSizeExceedsAvailableQuota: Requested backup exceeds allowed Backup gigabytes quota. Requested 2G, quota is 1G and 0G has been consumed."}}`, kind.ErrRejected, true},
		{cloud.Compute, 403, `{"forbidden": {"message": "Project 1 is over a limit for [Resource class:VCPU is over limit of 20 due to current usage 20 and delta 1]"}}`, kind.ErrRejected, true},
		{cloud.Image, 413, "<html><body>Project 1 is over a limit for [Resource image_count_total is over limit of 5 due to current usage 5 and delta 1]</body></html>", kind.ErrRejected, true},
		{cloud.Identity, 403, `{"error": {"message": "Unable to create additional application credentials, maximum of 10 already exceeded for user."}}`, kind.ErrRejected, true},
		{cloud.KeyManager, 403, `{"title": "Forbidden", "description": "Creation not allowed because a quota has been reached"}`, kind.ErrRejected, true},
		{cloud.LoadBalancer, 409, `{"faultstring": "Load Balancer 1 is immutable and cannot be updated."}`, kind.ErrBusy, false},
		{cloud.LoadBalancer, 501, `{"faultstring": "Provider 'ovn' does not support a requested option: OVN provider does not support allowed_cidrs option"}`, kind.ErrRejected, false},
		{cloud.LoadBalancer, 403, `{"faultstring": "Quota has been met for resources: Load Balancer"}`, kind.ErrRejected, true},
		{cloud.DNS, 409, `{"type": "duplicate_zone", "message": "Duplicate Zone"}`, kind.ErrRejected, false},
		{cloud.DNS, 413, `{"type": "over_quota", "message": "Quota exceeded for zones."}`, kind.ErrRejected, true},
		{cloud.ObjectStore, 409, other, kind.ErrBusy, false},
		{cloud.ObjectStore, 403, "Reached container limit of 1000", kind.ErrRejected, true},
		{cloud.SharedFileSystem, 409, other, kind.ErrBusy, false},
		{cloud.SharedFileSystem, 413, `{"overLimit": {"message": "ShareNetworksLimitExceeded: Maximum number of share-networks allowed (10) exceeded."}}`, kind.ErrRejected, true},
		{cloud.KeyManager, 409, other, kind.ErrRejected, false},
	} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.words)
		})
		err := h.open(t).Do(t.Context(), cloud.Call{Service: c.service, Method: http.MethodPost, Path: "things", Body: map[string]any{}})
		if !errors.Is(err, c.class) || errors.Is(err, kind.ErrExhausted) != c.usedUp {
			t.Errorf("%s: %d %s: %v", c.service, c.status, c.words, err)
		}
	}
}

// Each service has its own header for microversions, and a service without microversions gets none.
func TestMicroversionHeader(t *testing.T) {
	for service, want := range map[string]string{cloud.Compute: "compute 2.79", cloud.BlockStorage: "volume 2.79", cloud.SharedFileSystem: "shared-file-system 2.79", cloud.Network: ""} {
		got := ""
		h := newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("OpenStack-API-Version")
			say(w, `{"versions": [{"id": "v2.0", "version": ""}, {"id": "v2.1", "version": "2.80"}]}`)
		})
		c := h.open(t)
		version, err := c.Microversion(t.Context(), service, "2.79")
		if err != nil {
			t.Errorf("%s: %v", service, err)
			continue
		}
		if err := c.Do(t.Context(), cloud.Call{Service: service, Method: http.MethodGet, Path: "things", Microversion: version}); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", service, got, err, want)
		}
	}
}

// Manila's first version has a separate catalog type, which many clouds still list beside the second
// version. The client uses the second version, whatever the order in the catalog.
func TestOldTypeOfSharesIsPassedOver(t *testing.T) {
	for range 16 { // catalogs come in any order
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { say(w, `{"share_networks": []}`) })
		delete(h.catalog, "shared-file-system")
		h.catalog["share"], h.catalog["sharev2"] = h.URL+"/first/v1/p", h.URL+"/second/v2"
		if err := h.open(t).Do(t.Context(), cloud.Call{Service: cloud.SharedFileSystem, Method: http.MethodGet, Path: "share-networks/detail"}); err != nil {
			t.Fatal(err)
		}
		if h.requests("/second/v2/share-networks/detail") != 1 || h.requests("/first/v1/p/share") != 0 {
			t.Errorf("asked were %q", h.asked)
		}
	}
}
