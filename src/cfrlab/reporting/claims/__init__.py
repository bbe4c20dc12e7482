"""Claims of a paper, judged by rule against the records of a run.

A paper states its claims in ``published/claims.yaml`` and measures them in its module ``measures``;
this package reads the one, calls the other, and decides. It knows no paper by name. The rules are
explained in ``docs/verdicts.md``.
"""

from cfrlab.reporting.claims.judge import COLUMNS as COLUMNS
from cfrlab.reporting.claims.judge import judge as judge
from cfrlab.reporting.claims.judge import judge_all as judge_all
from cfrlab.reporting.claims.model import KINDS as KINDS
from cfrlab.reporting.claims.model import SOURCES as SOURCES
from cfrlab.reporting.claims.model import Claim as Claim
from cfrlab.reporting.claims.model import Claims as Claims
from cfrlab.reporting.claims.model import Estimate as Estimate
from cfrlab.reporting.claims.model import Measure as Measure
from cfrlab.reporting.claims.model import MissingData as MissingData
from cfrlab.reporting.claims.table import read as read
from cfrlab.reporting.claims.table import tally as tally
from cfrlab.reporting.claims.table import write as write
from cfrlab.reporting.claims.verdicts import DIRECTION_ONLY as DIRECTION_ONLY
from cfrlab.reporting.claims.verdicts import INCONCLUSIVE as INCONCLUSIVE
from cfrlab.reporting.claims.verdicts import MEANING as MEANING
from cfrlab.reporting.claims.verdicts import NOT_MEASURED as NOT_MEASURED
from cfrlab.reporting.claims.verdicts import NOT_REPRODUCED as NOT_REPRODUCED
from cfrlab.reporting.claims.verdicts import REPRODUCED as REPRODUCED
from cfrlab.reporting.claims.verdicts import VERDICTS as VERDICTS
from cfrlab.reporting.claims.yaml_file import load as load
