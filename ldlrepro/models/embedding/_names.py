"""Names of embedded features, for scikit-learn's ``set_output``.

No mark of a record counts this module (see `protocols.source`): it moves no number.
"""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ldlrepro.entrance import own_settings


class NamesOut(ClassNamePrefixFeaturesOutMixin):
    """``get_feature_names_out``: "pca0", "pca1", ... of a fitted `PCA`."""

    @property
    def _n_features_out(self):
        with own_settings():
            return self._embed(np.zeros((1, self.n_features_in_))).shape[1]
