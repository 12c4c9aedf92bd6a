"""Lets Debian 12's Cinder send notifications.

oslo.messaging hands on only some attributes of a context, and makes a context of these again. Cinder's context refuses that, because read_deleted is
missing. So each request that sends a notification would fail."""
from cinder import context

made_of = context.RequestContext.from_dict.__func__


def from_dict(cls, values):
    return made_of(cls, {**values, 'read_deleted': values.get('read_deleted') or 'no'})


context.RequestContext.from_dict = classmethod(from_dict)
