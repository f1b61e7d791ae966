"""Road networks of OpenStreetMap extracts. Its reader is imported only where such a file is
read.
"""

from solvers.system.feature import Feature

FEATURE = Feature("OpenStreetMap extracts", formats=f"{__name__}.formats")
