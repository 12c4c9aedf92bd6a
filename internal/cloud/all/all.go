// Package all lists every kind. No other package names all of them.
package all

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/addressgroup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/addressscope"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/applicationcredential"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/barbicansecret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/configmap"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/dnsrecordset"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/dnszone"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/endpoint"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/etcdbackup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/etcdcluster"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/etcdmember"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/etcdrestore"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/externalsecret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/flavor"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/floatingip"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/group"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/keypair"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/loadbalancer"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/m3dbcluster"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/m3dbinstance"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/m3dbnamespace"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/network"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/port"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/portforwarding"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/project"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/qospolicy"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/quota"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/role"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/roleassignment"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/router"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/routerinterface"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/securitygroup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/server"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/servergroup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/service"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/sharenetwork"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/subnet"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/subnetpool"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/swiftcontainer"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/trunk"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/user"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/virtualmachine"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/virtualmachinegroup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumebackup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumesnapshot"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumesnapshotschedule"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumetype"
	"github.com/stackreeve/stackreeve/internal/definition"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Kinds lists the kinds. Each kind comes after the kinds that it depends on. c may be nil if only
// the rules of the kinds are needed. d may be empty if nothing is expanded.
func Kinds(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
	return append([]*kind.Kind{
		configmap.Kind(),
		secret.Kind(),
		externalsecret.Kind(),
		domain.Kind(c),
		project.Kind(c),
		quota.Kind(c),
		role.Kind(c),
		group.Kind(c),
		user.Kind(c),
		roleassignment.Kind(c),
		service.Kind(c),
		endpoint.Kind(c),
		applicationcredential.Kind(c),
		image.Kind(c, d),
		flavor.Kind(c),
		keypair.Kind(c),
		servergroup.Kind(c),
		volumetype.Kind(c),
		dnszone.Kind(c),
		barbicansecret.Kind(c),
		swiftcontainer.Kind(c, d),
		addressscope.Kind(c),
		subnetpool.Kind(c),
		addressgroup.Kind(c),
		qospolicy.Kind(c),
		network.Kind(c),
		subnet.Kind(c),
		router.Kind(c),
		routerinterface.Kind(c),
		securitygroup.Kind(c),
		sharenetwork.Kind(c),
		port.Kind(c),
		trunk.Kind(c),
		volume.Kind(c),
		volumesnapshot.Kind(c),
		volumesnapshotschedule.Kind(c),
		volumebackup.Kind(c),
		server.Kind(c, d.Keys.Master),
		loadbalancer.Kind(c, d),
		floatingip.Kind(c),
		portforwarding.Kind(c),
		dnsrecordset.Kind(c),
		virtualmachine.Kind(d),
		virtualmachinegroup.Kind(),
		etcdrestore.Kind(c, d),
		etcdmember.Kind(c, d),
		etcdcluster.Kind(d),
		etcdbackup.Kind(c, d),
		m3dbinstance.Kind(c),
		m3dbnamespace.Kind(c),
		m3dbcluster.Kind(d),
	}, definition.Kinds()...)
}
