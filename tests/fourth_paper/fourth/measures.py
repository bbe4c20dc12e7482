"""How our side of the claims is measured."""

import pandas as pd

from cfrlab.papers.weva.measures import Estimate, MissingData
from cfrlab.reporting.stated import Measure


class Value(Measure[pd.DataFrame]):
    """The value of the game with some ranks, for player 0."""

    ranks: int

    def estimate(self, records: pd.DataFrame) -> Estimate:
        found = records.loc[records["ranks"] == self.ranks, "value"]
        if found.empty:
            raise MissingData(f"no game of {self.ranks} ranks")
        value = float(found.iloc[0])
        return Estimate(value, value, value, 1, f"value {value:.6f}")


MEASURES = {"value": Value}
