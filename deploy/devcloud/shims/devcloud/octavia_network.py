"""Octavia's network driver for amphorae that do not exist: VIP ports and their security groups are real Neutron
objects, made by the stock code; what would plug an interface into an amphora is answered without doing it."""
from octavia.common import data_models
from octavia.network import data_models as network
from octavia.network.drivers.neutron import allowed_address_pairs
from oslo_utils import uuidutils

MANAGEMENT = '00000000-0000-0000-0000-000000000001'     # amp_boot_network_list in octavia.conf
FAKE_PORT = 'devcloud-'                                  # followed by the network's id


class NetworkDriver(allowed_address_pairs.AllowedAddressPairsDriver):
    def get_port(self, port_id, context=None):
        if port_id and port_id.startswith(FAKE_PORT):
            return network.Port(id=port_id, network_id=port_id[len(FAKE_PORT):], fixed_ips=[],
                                mac_address='fa:16:3e:00:00:00')
        return super().get_port(port_id, context=context)

    def get_network(self, network_id, context=None):
        if network_id == MANAGEMENT:
            return network.Network(id=MANAGEMENT, name='lb-mgmt', subnets=[], port_security_enabled=False)
        return super().get_network(network_id, context=context)

    def get_network_configs(self, loadbalancer, amphora=None):
        vip = loadbalancer.vip
        subnet, port = self.get_subnet(vip.subnet_id), self.get_port(vip.port_id)
        return {a.id: network.AmphoraNetworkConfig(
            amphora=a, vip_subnet=subnet, vip_port=port, vrrp_subnet=subnet, vrrp_port=port, ha_subnet=subnet,
            ha_port=port, additional_vip_data=[]) for a in loadbalancer.amphorae}

    def get_plugged_networks(self, compute_id):
        return []

    def plug_vip(self, load_balancer, vip):
        self.update_vip_sg(load_balancer, vip)
        return [self.plug_aap_port(load_balancer, vip, a, None) for a in load_balancer.amphorae]

    def plug_aap_port(self, load_balancer, vip, amphora, subnet):
        return data_models.Amphora(id=amphora.id, compute_id=amphora.compute_id, vrrp_ip=vip.ip_address,
                                   ha_ip=vip.ip_address, vrrp_port_id=vip.port_id, ha_port_id=vip.port_id)

    def plug_network(self, compute_id, network_id):
        return network.Interface(id=uuidutils.generate_uuid(), compute_id=compute_id, network_id=network_id,
                                 fixed_ips=[], port_id=FAKE_PORT + network_id)

    def plug_fixed_ip(self, port_id, subnet_id, ip_address=None):
        port = self.get_port(port_id)
        port.fixed_ips = [network.FixedIP(subnet_id=subnet_id, ip_address=ip_address or '192.0.2.10')]
        return port

    def unplug_fixed_ip(self, port_id, subnet_id):
        return self.get_port(port_id)

    def plug_port(self, amphora, port):
        pass

    def unplug_vip(self, load_balancer, vip):
        pass

    def unplug_aap_port(self, vip, amphora, subnet):
        pass

    def unplug_network(self, compute_id, network_id):
        pass

    def wait_for_port_detach(self, amphora):
        pass

    def failover_preparation(self, amphora):
        pass
