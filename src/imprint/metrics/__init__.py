"""Metrics by name: functions of a package above, and those of other works, one per file, judged as every test is."""

from imprint.registry import Registry

METRICS = Registry(
    "imprint.metrics",
    {
        "weat": "imprint.association.weat:weat",
        "wefat": "imprint.association.wefat:wefat",
        "seat": "imprint.association.seat:seat",
        "rnd": "imprint.metrics.rnd:Rnd",
        "mac": "imprint.metrics.mac:Mac",
        "ect": "imprint.metrics.ect:Ect",
        "ripa": "imprint.metrics.ripa:Ripa",
        "direct-bias": "imprint.metrics.direct_bias:DirectBias",
        "same": "imprint.metrics.same:Same",
        "rnsb": "imprint.metrics.rnsb:Rnsb",
        "sc-weat": "imprint.metrics.sc_weat:ScWeat",
        "neighbours": "imprint.metrics.neighbours:NeighbourTest",
        "clustering": "imprint.metrics.clustering:Clustering",
        "valnorm": "imprint.metrics.valnorm:ValNorm",
        "group-association": "imprint.metrics.group_association:GroupAssociation",
        "subspace": "imprint.metrics.subspace:Subspace",
    },
)
