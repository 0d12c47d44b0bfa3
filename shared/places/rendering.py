"""Which template makes the pages."""

# Moves with every change of the template that published pages should follow; `sites.render_version` says which one
# made a page, and `ops` counts the pages behind.
RENDER_VERSION = "1"
