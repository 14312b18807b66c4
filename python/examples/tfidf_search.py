"""TF-IDF and cosine search: the documents nearest to some queries, beside scikit-learn.

A word that few documents have says more than one that all have. Counts are weighted by that, rows are scaled to length 1,
and the product of two rows is then the cosine of the angle between two documents.
"""

import numpy as np
import scipy.sparse as sp
from _side_by_side import arguments, compare
from sklearn.feature_extraction.text import TfidfTransformer

import openwork as ow

given = arguments(__doc__)
documents, words, length, queries = given.pick((20_000, 30_000, 80, 50), (300, 500, 20, 5))

# Words are drawn as a language has them: few of them often, most of them rarely.
rng = np.random.default_rng(0)
drawn = (words * rng.random(documents * length) ** 4).astype(int)
written_in = np.repeat(np.arange(documents), length)
S = sp.coo_array((np.ones(len(drawn)), (written_in, drawn)), shape=(documents, words)).tocsr()
asked = rng.choice(documents, queries, replace=False)
A = ow.asarray(S)


def with_openwork():
    have = (A != 0).sum(axis=0).todense()
    weighted = A * (np.log((1 + documents) / (1 + have)) + 1)
    vectors = weighted / np.linalg.norm(weighted, axis=1)[:, None]
    return vectors @ vectors[asked].T


def with_sklearn():
    vectors = TfidfTransformer().fit_transform(S)
    return vectors @ vectors[asked].T


cosines = with_openwork()
np.testing.assert_allclose(cosines.todense(), with_sklearn().toarray(), atol=1e-12)

# The best five documents of every query: each finds itself first.
best = ow.topk(cosines, 5, axis=0)
assert np.array_equal(cosines.todense().argmax(axis=0), asked)
assert best.shape == cosines.shape and best.nnz <= 5 * queries
compare(with_openwork, with_sklearn, "scikit-learn", given.turns)
