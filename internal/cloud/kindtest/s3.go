package kindtest

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/s3"
)

// S3 returns the address where a real cloud's Swift offers the S3 protocol, and keys for the project of c. The keys are deleted at
// the end of the test.
func S3(t *testing.T, c *cloud.Client) (endpoint string, keys s3.Keys) {
	t.Helper()
	var catalog struct {
		Catalog []struct {
			Type      string
			Endpoints []struct{ Interface, URL string }
		}
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodGet, Path: "auth/catalog", Into: &catalog}); err != nil {
		t.Fatal(err)
	}
	for _, service := range catalog.Catalog {
		for _, e := range service.Endpoints {
			if at, err := url.Parse(e.URL); err == nil && service.Type == cloud.ObjectStore && e.Interface == "public" {
				endpoint = at.Scheme + "://" + at.Host
			}
		}
	}
	user, _ := c.OwnUser()
	if endpoint == "" || user == "" {
		t.Skip("the cloud has no Swift that speaks S3")
	}
	var made struct {
		Credential struct{ Access, Secret string }
	}
	of := "users/" + user + "/credentials/OS-EC2"
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodPost, Path: of, Body: map[string]any{"tenant_id": c.ProjectID}, Into: &made}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Do(context.WithoutCancel(t.Context()), cloud.Call{Service: cloud.Identity, Method: http.MethodDelete, Path: of + "/" + made.Credential.Access}); err != nil {
			t.Error(err)
		}
	})
	return endpoint, s3.Keys{ID: made.Credential.Access, Secret: made.Credential.Secret}
}
