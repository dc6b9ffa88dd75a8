"""vecc.nn: masks and weights of labels, of every source; what they are of."""

import tempfile
import types
import unittest
from pathlib import Path

import numpy as np

from command_line import VECC  # noqa: F401  takes the arguments

import vecc
from vecc import nn
from nn_groups import network, two_groups


class MasksTest(unittest.TestCase):
    def check(self, call, message):
        with self.assertRaisesRegex(vecc.Error, message) as raised:
            call()
        self.assertIsInstance(raised.exception, ValueError)

    def test_rows_of_no_mask_teach_nothing(self):
        """The same as labels that are not there."""
        data, kind = two_groups()
        mask = np.arange(60) < 20
        data.labels(kind, train=mask)
        other = two_groups()[0].labels(np.where(mask, kind, -1))
        losses = [nn.Model(network).fit(each, epochs=3).history[-1]["loss"]
                  for each in (data, other)]
        self.assertEqual(*losses)

    def test_masks_stay(self):
        """Labels that are given again, or weights of their classes, do not train on test rows."""
        data, kind = two_groups()
        split = np.arange(60) % 3
        data.labels(kind, train=split == 0, validation=split == 1, test=split == 2)
        marked = data.splits.copy()
        for again in (lambda: data.labels(class_weights=[1, 3]), lambda: data.labels(1 - kind),
                      lambda: data.labels(weights=np.ones(60))):
            again()
            np.testing.assert_array_equal(data.splits, marked)
        self.assertIsNone(data.class_weights)  # they were of other labels
        np.testing.assert_array_equal(data.targets, 1 - kind)
        np.testing.assert_array_equal(data.labels(train=split > 0).splits, split > 0)
        self.assertIsNone(data.labels([1]).splits)

    def test_masks_and_weights_are_dropped(self):
        data, kind = two_groups()
        data.labels(kind, train=np.arange(20), weights=np.ones(60), class_weights=[1, 3])
        self.assertIsNone(data.labels(masks=False).splits)
        self.assertEqual(data.class_weights, [1, 3])
        self.assertIsNone(data.labels(class_weights=False).class_weights)
        self.assertIsNotNone(data.sample_weights)
        self.assertIsNone(data.labels(weights=False).sample_weights)
        data.labels(train=np.arange(20))
        self.assertIsNone(data.labels(1 - kind, masks=False).splits)

    def test_empty_rows(self):
        """A list of no rows is of no kind, and NumPy's is of floats."""
        y = np.array([0, 1, 1])
        for empty in ([], (), np.zeros(0), np.zeros(0, int)):
            data = nn.Data().nodes(x=np.ones((3, 2))).labels(y, train=[0, 1], test=empty)
            self.assertEqual(data.splits.tolist(), [1, 1, 0])
        self.check(lambda: data.labels(y, train=np.zeros(3)), "train is float64, expected bool")

    def test_refused_labels_change_nothing(self):
        data, kind = two_groups()
        data.labels(kind, train=np.arange(20), classes=["a", "b"], class_weights=[1, 3])
        for more in ({"train": [0, 0]}, {"weights": ["a"] * 60}):
            with self.assertRaises(ValueError):
                data.labels(1 - kind, classes=["c", "d"], **more)
            np.testing.assert_array_equal(data.targets, kind)
            self.assertEqual((data.splits.sum(), data.classes, data.class_weights),
                             (20, ["a", "b"], [1, 3]))

    def test_sources_of_masks_without_labels(self):
        """They hold for the labels that come later."""
        x, ends, masks = np.eye(4), [[0, 1, 2], [1, 2, 3]], {"train": [0, 2], "test": [1]}
        entries = types.SimpleNamespace(row=np.array(ends[0]), col=np.array(ends[1]),
                                        data=np.ones(3))
        matrix = types.SimpleNamespace(shape=(4, 4), tocoo=lambda: entries)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "edges.txt"
            path.write_text("0 1\n1 2\n2 3\n")
            arrays = path.with_suffix(".npz")
            np.savez(arrays, edge_index=ends, x=x, idx_train=[0, 2], idx_test=[1])
            for data in (nn.from_arrays(ends, x, masks=masks),
                         nn.from_scipy(matrix, x, masks=masks),
                         nn.from_edge_list(path, x, masks=masks), nn.from_npz(arrays)):
                both = nn.batch([data, data])
                self.assertEqual(data.labels([0, 1, 0, 1]).splits.tolist(), [1, 3, 1, 0])
                self.assertEqual(both.labels([0, 1, 0, 1] * 2).splits.tolist(), [1, 3, 1, 0] * 2)
        self.check(lambda: nn.from_arrays(ends, x, masks={"val": [0]}), "mask 'val' is none of")
        self.check(lambda: nn.from_arrays(ends, x, masks={"train": [0], "test": [0]}), "1 rows are")

    def test_losses_by_class_weights(self):
        """Of each split the weighted mean, as torch's weight= has it."""
        data, kind = two_groups()
        split = np.arange(60) % 3
        split[kind == 1] = np.arange((kind == 1).sum()) % 2
        data.labels(kind, train=split == 0, validation=split == 1, test=split == 2,
                    class_weights=[1, 5])
        model = nn.Model(network, dtype="f64").trace(data)
        out = model(data)
        losses = np.log(np.exp(out).sum(1)) - out[np.arange(60), kind]
        weights = np.array([1, 5])[kind]
        for number, name in enumerate(("train", "validation", "test")):
            own = split == number
            self.assertAlmostEqual(model.evaluate(data, split=name)["loss"],
                                   (losses * weights)[own].sum() / weights[own].sum(), 6)

    def test_bad_masks(self):
        data, kind = two_groups()
        split = np.arange(60) % 3
        self.check(lambda: nn.Data().nodes(x=np.ones((2, 2))).labels(class_weights=[1, 2]),
                   "there are none yet")
        self.check(lambda: data.labels(kind, train=split == 0, test=split < 2),
                   "20 rows are in train and in test")
        self.check(lambda: data.labels(kind, train=np.ones((60, 10), bool)), r"train_mask\[:, 0\]")
        self.check(lambda: data.labels(kind, train=(split == 0) * 1.0),
                   "train is float64, expected bool, a mask, or whole numbers of rows")
        for train in (np.zeros(60, bool), None):
            self.check(lambda: nn.Model(lambda g: nn.linear(g.x, 2)).fit(
                data.labels(kind, train=train, test=split == 1), epochs=1),
                "none marks a row to train on: train_mask, or labels")


if __name__ == "__main__":
    unittest.main()
