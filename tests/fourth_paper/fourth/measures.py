"""How our side of the claims is measured."""

from typing import Literal

import pandas as pd

from cfrlab.reporting.claims import Estimate, Measure, MissingData


class Value(Measure[pd.DataFrame]):
    """The value of the game with some ranks, for player 0."""

    name: Literal["value"]
    ranks: int

    def estimate(self, records: pd.DataFrame) -> Estimate:
        rows = records.loc[records["ranks"] == self.ranks, "value"]
        if rows.empty:
            raise MissingData(f"This run has no game of {self.ranks} ranks.")
        return Estimate.exact(float(rows.iloc[0]), "The solver's last average profile")


MEASURES = (Value,)
