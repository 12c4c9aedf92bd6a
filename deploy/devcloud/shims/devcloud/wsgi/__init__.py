"""One WSGI application per module, for uwsgi."""
