terraform {
  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack" }
  }
}
provider "openstack" {
  cloud = var.cloud
}
variable "cloud" { type = string }
variable "prefix" { type = string }
variable "image" { type = string }
variable "flavor" { type = string }
locals { p = var.prefix }
data "openstack_networking_network_v2" "public" { name = "public" }
data "openstack_images_image_v2" "os" { name = var.image }
data "openstack_compute_flavor_v2" "small" { name = var.flavor }
data "openstack_identity_role_v3" "member" { name = "member" }
resource "openstack_networking_network_v2" "net" { name = "${local.p}-net" }
resource "openstack_networking_subnet_v2" "sub" {
  name       = "${local.p}-sub"
  network_id = openstack_networking_network_v2.net.id
  cidr       = "10.77.0.0/24"
}
resource "openstack_networking_router_v2" "r" {
  name                = "${local.p}-r"
  external_network_id = data.openstack_networking_network_v2.public.id
}
resource "openstack_networking_router_interface_v2" "ri" {
  router_id = openstack_networking_router_v2.r.id
  subnet_id = openstack_networking_subnet_v2.sub.id
}
resource "openstack_networking_subnet_route_v2" "rt" {
  subnet_id        = openstack_networking_subnet_v2.sub.id
  destination_cidr = "10.78.0.0/24"
  next_hop         = "10.77.0.254"
}
resource "openstack_networking_secgroup_v2" "sg" { name = "${local.p}-sg" }
resource "openstack_networking_secgroup_rule_v2" "ssh" {
  security_group_id = openstack_networking_secgroup_v2.sg.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 22
  port_range_max    = 22
}
resource "openstack_networking_port_v2" "p" {
  count              = 2
  name               = "${local.p}-p${count.index}"
  network_id         = openstack_networking_network_v2.net.id
  security_group_ids = [openstack_networking_secgroup_v2.sg.id]
  fixed_ip { subnet_id = openstack_networking_subnet_v2.sub.id }
}
resource "openstack_networking_floatingip_v2" "fip" { pool = "public" }
resource "openstack_networking_floatingip_associate_v2" "fa" {
  floating_ip = openstack_networking_floatingip_v2.fip.address
  port_id     = openstack_networking_port_v2.p[0].id
  depends_on  = [openstack_networking_router_interface_v2.ri]
}
resource "openstack_networking_floatingip_v2" "fip2" { pool = "public" }
resource "openstack_networking_portforwarding_v2" "pf" {
  floatingip_id       = openstack_networking_floatingip_v2.fip2.id
  protocol            = "tcp"
  external_port       = 2222
  internal_port       = 22
  internal_port_id    = openstack_networking_port_v2.p[1].id
  internal_ip_address = openstack_networking_port_v2.p[1].all_fixed_ips[0]
  depends_on          = [openstack_networking_router_interface_v2.ri]
}
resource "openstack_networking_addressscope_v2" "as" {
  name       = "${local.p}-as"
  ip_version = 4
}
resource "openstack_networking_subnetpool_v2" "sp" {
  name     = "${local.p}-sp"
  prefixes = ["10.90.0.0/16"]
  address_scope_id = openstack_networking_addressscope_v2.as.id
}
resource "openstack_networking_address_group_v2" "ag" {
  name      = "${local.p}-ag"
  addresses = ["192.0.2.0/24"]
}
resource "openstack_networking_qos_policy_v2" "qos" { name = "${local.p}-qos" }
resource "openstack_networking_qos_bandwidth_limit_rule_v2" "bw" {
  qos_policy_id  = openstack_networking_qos_policy_v2.qos.id
  max_kbps       = 3000
  max_burst_kbps = 300
}
resource "openstack_networking_qos_dscp_marking_rule_v2" "dscp" {
  qos_policy_id = openstack_networking_qos_policy_v2.qos.id
  dscp_mark     = 26
}
resource "openstack_compute_keypair_v2" "kp" { name = "${local.p}-kp" }
resource "openstack_compute_servergroup_v2" "grp" {
  name     = "${local.p}-grp"
  policies = ["soft-anti-affinity"]
}
resource "openstack_compute_flavor_v2" "fl" {
  name  = "${local.p}-fl"
  ram   = 512
  vcpus = 1
  disk  = 1
}
resource "openstack_blockstorage_volume_v3" "v" {
  name = "${local.p}-v"
  size = 1
}
resource "openstack_compute_instance_v2" "web" {
  name      = "${local.p}-web"
  image_id  = data.openstack_images_image_v2.os.id
  flavor_id = data.openstack_compute_flavor_v2.small.id
  key_pair  = openstack_compute_keypair_v2.kp.name
  network { port = openstack_networking_port_v2.p[0].id }
}
resource "openstack_compute_volume_attach_v2" "va" {
  instance_id = openstack_compute_instance_v2.web.id
  volume_id   = openstack_blockstorage_volume_v3.v.id
}
resource "openstack_lb_loadbalancer_v2" "lb" {
  name          = "${local.p}-lb"
  vip_subnet_id = openstack_networking_subnet_v2.sub.id
}
resource "openstack_lb_listener_v2" "l" {
  name            = "${local.p}-l"
  protocol        = "HTTP"
  protocol_port   = 80
  loadbalancer_id = openstack_lb_loadbalancer_v2.lb.id
}
resource "openstack_lb_pool_v2" "pool" {
  name        = "${local.p}-pool"
  protocol    = "HTTP"
  lb_method   = "ROUND_ROBIN"
  listener_id = openstack_lb_listener_v2.l.id
}
resource "openstack_lb_member_v2" "m" {
  pool_id       = openstack_lb_pool_v2.pool.id
  address       = "10.77.0.9"
  protocol_port = 8080
}
resource "openstack_lb_monitor_v2" "mon" {
  pool_id     = openstack_lb_pool_v2.pool.id
  type        = "TCP"
  delay       = 5
  timeout     = 3
  max_retries = 3
}
resource "openstack_dns_zone_v2" "z" {
  name  = "${var.prefix}.example.org."
  email = "ops@example.org"
}
resource "openstack_dns_recordset_v2" "rr" {
  zone_id = openstack_dns_zone_v2.z.id
  name    = "www.${var.prefix}.example.org."
  type    = "A"
  records = ["192.0.2.7"]
}
resource "openstack_identity_project_v3" "prj" { name = "${local.p}-prj" }
resource "openstack_identity_user_v3" "u" {
  name     = "${local.p}-u"
  password = "Zyxwvuts-9"
}
resource "openstack_identity_group_v3" "g" { name = "${local.p}-g" }
resource "openstack_identity_role_v3" "role" { name = "${local.p}-role" }
resource "openstack_identity_role_assignment_v3" "ra" {
  user_id    = openstack_identity_user_v3.u.id
  project_id = openstack_identity_project_v3.prj.id
  role_id    = openstack_identity_role_v3.role.id
}
resource "openstack_identity_service_v3" "svc" {
  name = "${local.p}-svc"
  type = var.prefix
}
resource "openstack_identity_endpoint_v3" "ep" {
  name            = "${local.p}-ep"
  service_id      = openstack_identity_service_v3.svc.id
  interface       = "public"
  url             = "http://${var.prefix}.example.org"
  endpoint_region = "RegionOne"
}
