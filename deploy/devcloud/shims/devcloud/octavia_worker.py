"""octavia-worker with three fixes that Octavia got after the packaged 11.0.0. Without them a load balancer created
together with its listeners, pools and members becomes ACTIVE, but its children stay PENDING_CREATE for ever."""


def main():
    pass_listeners_to_flow()
    give_network_configs_to_flow()
    activate_pools_without_listener()
    from octavia.cmd import octavia_worker
    return octavia_worker.main()


def pass_listeners_to_flow():
    """216cce39: the keyword arguments of a flow's factory were dropped."""
    from octavia.controller.worker.v2 import controller_worker
    from taskflow.listeners import logging

    def run_flow(self, factory, *args, store=None, **kwargs):
        engine = self.tf_engine.taskflow_load(factory(*args, **kwargs), store=store)
        with logging.DynamicLoggingListener(engine, log=controller_worker.LOG):
            engine.run()

    controller_worker.ControllerWorker.run_flow = run_flow


def give_network_configs_to_flow():
    """d0a0f53d: AmphoraePostNetworkPlug (fourth in its flow) needs what no task before it provides."""
    from octavia.controller.worker.v2.flows import load_balancer_flows
    from octavia.controller.worker.v2.tasks import network_tasks
    stock = load_balancer_flows.LoadBalancerFlows._create_listeners_flow

    def create_listeners_flow(self):
        tasks = stock(self)
        tasks.insert(3, network_tasks.GetAmphoraeNetworkConfigs(
            requires='loadbalancer_id', provides='amphorae_network_config'))
        return tasks

    load_balancer_flows.LoadBalancerFlows._create_listeners_flow = create_listeners_flow


def activate_pools_without_listener():
    """3a157c02: only the default pools of listeners were marked ACTIVE."""
    from octavia.controller.worker.v2.tasks import database_tasks
    from octavia.db import api
    stock = database_tasks.MarkLBActiveInDB.execute

    def execute(self, loadbalancer):
        lb = self.loadbalancer_repo.get(api.get_session(), id=loadbalancer['loadbalancer_id'])
        for pool in lb.pools:
            if pool.provisioning_status == 'PENDING_CREATE':
                self._mark_pool_status(pool, 'ACTIVE')
        return stock(self, loadbalancer)

    database_tasks.MarkLBActiveInDB.execute = execute
