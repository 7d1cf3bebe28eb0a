"""The chapter on the made-up paper."""

import matplotlib.pyplot as plt
from ldlrepro.papers.made_up import experiments

from ldlrepro import published
from ldlrepro.report import Chapter, show_each_data_set
from ldlrepro.report.claims import claims_table, not_run, order_claim, wins_claim
from ldlrepro.report.settings import declared


def show_tables(chapter):
    """Tables 1 and 2, ours above the printed means."""
    captions = {d: f"Table {n}. {chapter.names[d]}" for d, n in experiments.TABLE_OF.items()}
    return show_each_data_set(
        chapter.ours, chapter.printed, captions, chapter.measures, chapter.order
    )


def figure_1(chapter):
    """K-L against the number of neighbours."""
    records = chapter.records["neighbours"]
    mean = records.groupby(declared(records, "k"))["kl_divergence"].mean()
    figure, axis = plt.subplots()
    axis.plot(mean.index, mean, "o-")
    axis.set(xlabel="neighbours", ylabel="K-L", title="K-L against the number of neighbours")
    return figure


class MadeUp(Chapter):
    """Neighbours are enough (Nobody 2030)."""

    paper = experiments.PAPER
    title = "Made up (Nobody 2030)"
    place = 6
    measures = experiments.MEASURES
    own_method = "kNN"
    printed_tables = (1, 2)
    exhibits = {"tables 1-2": show_tables, "figure 1": figure_1}

    def is_own(self, method):
        return method == "kNN"

    def judge(self):
        pair = [("kNN", "MeanPredictor")]
        more = self.records["neighbours"]
        evidence = {
            "beats-mean": wins_claim(self.counted, pair, self.measures),
            "by-kl": order_claim(self.counted, "kNN", "MeanPredictor", ["kl_divergence"]),
            "by-chebyshev": order_claim(self.counted, "kNN", "MeanPredictor", ["chebyshev"]),
            "five": order_claim(more, "kNN, k = 5", "kNN, k = 1", ["kl_divergence"]),
            "twenty": order_claim(more, "kNN, k = 20", "kNN, k = 1", ["kl_divergence"]),
            "fast": not_run("seconds of another machine say nothing"),
        }
        return claims_table(published.claims("made_up"), evidence)

    def answer(self):
        return "Neighbours come out."

    def findings(self):
        mean = self.counted.groupby("method")["kl_divergence"].mean()
        text = f"K-L of kNN is {mean['kNN']:.3f}, of the mean {mean['MeanPredictor']:.3f}."
        return {"beats-mean": text}
