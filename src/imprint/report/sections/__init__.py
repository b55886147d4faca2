"""One module a part of the audit: its findings told as a section of the page."""

from imprint.report.sections.story import parts, tell

__all__ = ["parts", "tell"]
