"""A Dask cluster on this machine."""

import pytest
from distributed import LocalCluster

DASK_WARNINGS = [
    # A killed worker's connections are closed by the garbage collector, whose moment pytest cannot choose.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    # distributed asks for the loop in a way that Python deprecates.
    pytest.mark.filterwarnings("ignore:There is no current event loop:DeprecationWarning"),
]


def local_cluster(workers, **options):
    # Port 0: any that is free, for the server of metrics that cannot be turned off.
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1", **options
    )
