"""Photographs of faces and their ages, as section 4.2 of the LDLF paper takes them."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils import Bunch


def load_faces(folder, ages, sigma=3.0):
    """Image files of faces, with a label distribution over ages for each [1]_.

    MORPH [2]_, on which the LDLF paper has its Tables 2 and 3, is had on request only; this is for
    whoever has it, or another folder of faces.

    Parameters
    ----------
    folder : Path or str
        That of the image files.
    ages
        CSV file or DataFrame with the columns ``file`` (a name below ``folder``), ``age`` (whole
        years) and, where it is known, ``person``.
    sigma : float above 0
        Standard deviation, in years, of the normal density about an age; the paper names none.

    Returns
    -------
    sklearn.utils.Bunch
        ``X`` list of n paths, as `ldlrepro.DLDL` and its kin take them; ``D`` (n, c)
        over the ages from the least to the greatest; ``ages`` (n,) int; ``label_names``, the ages
        as texts; ``groups`` (n,) persons or None.

    Raises
    ------
    ValueError
        A column that is missing, an age that is no whole number from 0 on, a file that is not
        there (with its row), fewer than two ages, or a ``sigma`` that is not above 0.

    See Also
    --------
    load_images : Photographs with label distributions of their own.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.2.
    .. [2] Ricanek, Tesafaye, "MORPH: a longitudinal image database of normal adult
       age-progression", FG 2006.
    """
    table = ages if isinstance(ages, pd.DataFrame) else pd.read_csv(ages)
    for column in ("file", "age"):
        if column not in table:
            raise ValueError(
                f"ages has no column {column!r}; it has: {', '.join(map(str, table.columns))}."
            )
    if not np.isfinite(sigma) or sigma <= 0:
        raise ValueError(f"sigma is {sigma!r}: a number above 0 is expected.")
    years = pd.to_numeric(table.age, errors="coerce").to_numpy(float)
    wrong = ~(np.isfinite(years) & (years >= 0) & (years == np.floor(years)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"ages, row {row}: {table.age.iloc[row]} is no age in whole years.")
    years = years.astype(int)
    paths = [Path(folder) / str(name) for name in table.file]
    row = next((i for i, path in enumerate(paths) if not path.is_file()), None)
    if row is not None:
        raise ValueError(f"ages, row {row}: there is no file {paths[row]}.")
    if len(set(years)) < 2:
        raise ValueError(f"ages: two different ages at least are needed, got {len(set(years))}.")
    labels = np.arange(years.min(), years.max() + 1)
    D = np.exp(-(((labels - years[:, None]) / sigma) ** 2) / 2)
    return Bunch(
        X=paths,
        D=D / D.sum(axis=1, keepdims=True),
        ages=years,
        label_names=[str(age) for age in labels],
        groups=table.person.to_numpy() if "person" in table else None,
    )
