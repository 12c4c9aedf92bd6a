package cloud

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// regionOf is the requested region, or the only one that exists.
func regionOf(p *gophercloud.ProviderClient, asked string) (string, error) {
	auth, ok := p.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return asked, nil
	}
	catalog, err := auth.ExtractServiceCatalog()
	if err != nil {
		return "", fmt.Errorf("the catalog cannot be read: %w", err)
	}
	var regions []string
	for _, service := range catalog.Entries {
		for _, e := range service.Endpoints {
			regions = append(regions, e.Region)
		}
	}
	slices.Sort(regions)
	regions = slices.Compact(regions)
	switch {
	case asked != "" && len(regions) > 0 && !slices.Contains(regions, asked):
		return "", fmt.Errorf("there is no region %s; set region_name (or $OS_REGION_NAME) to one of %s", asked, strings.Join(regions, ", "))
	case asked == "" && len(regions) > 1:
		return "", fmt.Errorf("there are several regions; set region_name (or $OS_REGION_NAME) to one of %s", strings.Join(regions, ", "))
	case asked == "" && len(regions) == 1:
		return regions[0], nil
	}
	return asked, nil
}
