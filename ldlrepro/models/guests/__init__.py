"""Methods of another package, python-ldl, under this package's API."""

from ldlrepro.models.guests._guest import PREFIX, RELEASE, Guest, guest_named, guest_names

__all__ = ["PREFIX", "RELEASE", "Guest", "guest_named", "guest_names"]
