package cloud_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Entries of clouds.yaml mean the same as for the openstack client. If no file contains the profile of a vendor, the
// profile is ignored, provided that the entry is complete without it. Regions can have values, and a project may be
// called tenant.
func TestEntriesAsTheOpenStackClientReadsThem(t *testing.T) {
	s := start(t, simulator.Options{})
	const login = "username: demo, password: demo, user_domain_name: Default, project_domain_name: Default"
	url := "auth_url: '" + s.URL + "/identity/v3'"
	for name, c := range map[string]struct{ entry, wrong string }{
		"plain":                 {"{auth: {" + url + ", " + login + ", project_name: demo}}", ""},
		"a vendor's profile":    {"{profile: ovh, auth: {" + url + ", " + login + ", project_name: demo}}", ""},
		"an unknown cloud":      {"{cloud: acme-private, auth: {" + url + ", " + login + ", project_name: demo}}", ""},
		"its own name":          {"{cloud: it, auth: {" + url + ", " + login + ", project_name: demo}}", ""},
		"a vendor says all":     {"{profile: vexxhost, auth: {" + login + ", project_name: demo}}", "profile vexxhost"},
		"auth_url of a region":  {"{region_name: RegionOne, auth: {" + login + ", project_name: demo}, regions: [{name: RegionTwo, values: {auth: {auth_url: 'http://192.0.2.1/v3'}}}, {name: RegionOne, values: {auth: {" + url + "}}}]}", ""},
		"of the first region":   {"{auth: {" + login + ", project_name: demo}, regions: [{name: RegionOne, values: {auth: {" + url + "}}}]}", ""},
		"regions without more":  {"{auth: {" + url + ", " + login + ", project_name: demo}, regions: [RegionOne]}", ""},
		"no such region":        {"{region_name: RegionSix, auth: {" + url + ", " + login + ", project_name: demo}, regions: [RegionOne, RegionTwo]}", "its regions are RegionOne, RegionTwo"},
		"tenant_name":           {"{auth: {" + url + ", " + login + ", tenant_name: demo}}", ""},
		"dashes":                {"{auth: {" + strings.ReplaceAll(url+", "+login, "_", "-") + ", project-name: demo}}", ""},
		"merged from an anchor": {"{<<: *more, auth: {<<: *auth, tenant_name: demo}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, "clouds.yaml", "more: &more {profile: ovh}\nauth: &auth {"+url+", "+login+"}\nclouds:\n  it: "+c.entry+"\n")
			err := use(t, cloud.Config{Cloud: "it", File: "clouds.yaml"})
			switch {
			case c.wrong == "" && err != nil:
				t.Error(private.Text(err))
			case c.wrong != "" && (err == nil || !strings.Contains(private.Text(err), c.wrong)):
				t.Errorf("got %v, want %s", err, c.wrong)
			}
		})
	}
}
