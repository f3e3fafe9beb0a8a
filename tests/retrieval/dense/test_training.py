"""Training, held to loops that can be read, and to itself where it was stopped."""

import math

import numpy as np
import pytest
import safetensors.torch
import torch

from retrieval.engine import dense_toy, training
from retrieval.engine.dense_pairs import Pair, Wrong, batches, overlaps
from retrieval.engine.dense_recipe import Recipe
from retrieval.engine.dense_settings import Settings
from retrieval.engine.errors import BadInput
from retrieval.engine.training import in_batch_loss
from tests.retrieval.dense.texts import BOOK, CONTEXTS

SMALL = Settings(context_tokens=64, quotation_tokens=32)


def pairs(book, number, start=0):
    return [
        Pair(book, CONTEXTS[(start + n) % 20], BOOK[(start + 3 * n) % 60], 3 * n, 1) for n in range(number)
    ]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory, toy):
    """A checkpoint of one layer; with dropout, so that random numbers matter."""
    shape = dense_toy.Shape(width=16, layers=1, heads=2, vocabulary=400, positions=70, dropout=0.1)
    return dense_toy.write(tmp_path_factory.mktemp("models") / "tiny", BOOK, seed=5, shape=shape)


def trainer(folder, **recipe):
    made = training.Trainer(folder, SMALL, Recipe(**recipe), torch.device("cpu"))
    made._mode(training=False)
    return made


def literal(contexts, quotations, masked=None):
    """The loss by its definition, one number at a time, in Python's floats."""
    total = 0.0
    for i, context in enumerate(contexts):
        scores = [sum(a * b for a, b in zip(context, other, strict=True)) for other in quotations]
        kept = [score for j, score in enumerate(scores) if masked is None or not masked[i][j]]
        total -= scores[i] - math.log(sum(math.exp(score) for score in kept))
    return total / len(contexts)


def test_the_loss_is_that_of_a_literal_loop():
    numbers = np.random.default_rng(2)
    contexts, quotations = numbers.normal(size=(7, 5)), numbers.normal(size=(11, 5))
    masked = numbers.random((7, 11)) < 0.3
    masked[np.arange(7), np.arange(7)] = False
    left, right = torch.tensor(contexts), torch.tensor(quotations)
    assert float(in_batch_loss(left, right)) == pytest.approx(literal(contexts, quotations), rel=1e-12)
    assert float(in_batch_loss(left, right, torch.tensor(masked))) == pytest.approx(
        literal(contexts, quotations, masked), rel=1e-12
    )


def test_a_step_is_the_loss_of_its_own_vectors(tiny):
    made = trainer(tiny)
    chosen = pairs("a", 6)
    with torch.no_grad():
        loss = float(made.loss(chosen))
        left = made.vectors("context", made.tokeniser.contexts([each.query for each in chosen], SMALL))
        right = made.vectors(
            "quotation", made.tokeniser.quotations([each.quotation for each in chosen], SMALL)
        )
    assert loss == pytest.approx(literal(left.tolist(), right.tolist()), rel=1e-5)


def test_grouping_by_length_changes_no_loss_and_no_gradient(tiny):
    found = []
    for grouped in (True, False):
        made = trainer(tiny, grouped=grouped)
        loss = made.loss(pairs("a", 12))
        loss.backward()
        gradient = made.towers["context"].embeddings.word_embeddings.weight.grad
        found.append((float(loss.detach()), gradient))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    assert torch.allclose(found[0][1], found[1][1], atol=1e-5)


def test_masking_marks_exactly_the_wrong_answers_that_overlap_the_right_one():
    step = [
        Pair("emma", "", "", 10, 2, (Wrong(11, ""), Wrong(40, ""))),
        Pair("emma", "", "", 11, 1),
        Pair("emma", "", "", 12, 1),
        Pair("persuasion", "", "", 10, 2, (Wrong(12, ""),)),
        Pair("emma", "", "", 10, 2),
    ]
    found = {tuple(map(int, cell)) for cell in np.argwhere(overlaps(step, hard=True))}
    assert found == {(0, 1), (1, 0), (0, 4), (4, 0), (1, 4), (4, 1), (0, 5), (4, 5), (1, 5), (2, 5)}
    assert overlaps(step, hard=False).shape == (5, 5)


def test_masking_changes_the_rows_with_a_false_negative_and_no_others(tiny):
    chosen = [*pairs("a", 5), Pair("a", CONTEXTS[9], BOOK[3], 3, 1)]
    made = {on: trainer(tiny, mask_overlaps=on) for on in (True, False)}
    with torch.no_grad():
        left = made[True].vectors(
            "context", made[True].tokeniser.contexts([each.query for each in chosen], SMALL)
        )
        right = made[True].vectors(
            "quotation", made[True].tokeniser.quotations([each.quotation for each in chosen], SMALL)
        )
        masked = torch.from_numpy(overlaps(chosen, hard=False))
        rows = {
            on: [float(in_batch_loss(left[[i]], shifted(right, i), mask)) for i, mask in each]
            for on, each in {
                True: [(i, shifted(masked[[i]].T, i).T) for i in range(6)],
                False: [(i, None) for i in range(6)],
            }.items()
        }
        changed = [i for i in range(6) if rows[True][i] != rows[False][i]]
        assert changed == [1, 5]
        for on in (True, False):
            assert float(made[on].loss(chosen)) == pytest.approx(np.mean(rows[on]), rel=1e-5)


def shifted(rows, first):
    """The same rows with that one before the others."""
    order = [first, *(n for n in range(len(rows)) if n != first)]
    return rows[order]


def test_hard_negatives_join_every_sum_of_the_step(tiny):
    chosen = [pairs("a", 1)[0]._replace(wrong=(Wrong(30, BOOK[7]), Wrong(31, BOOK[8]))), pairs("a", 2)[1]]
    with torch.no_grad():
        made = trainer(tiny, hard_negatives=True)
        left = made.vectors("context", made.tokeniser.contexts([each.query for each in chosen], SMALL))
        texts = [chosen[0].quotation, chosen[1].quotation, BOOK[7], BOOK[8]]
        right = made.vectors("quotation", made.tokeniser.quotations(texts, SMALL))
        assert float(made.loss(chosen)) == pytest.approx(literal(left.tolist(), right.tolist()), rel=1e-5)
        assert float(trainer(tiny).loss(chosen)) < float(made.loss(chosen))


def test_steps_are_consecutive_quotations_of_one_book_topped_up_as_in_the_paper():
    every = [*pairs("a", 7), *pairs("b", 2), *pairs("c", 4)]
    steps = sorted(batches(every, 4, seed=1))
    assert steps == [[0, 1, 2, 3], [4, 5, 6, 0], [7, 8, 9, 10], [9, 10, 11, 12]]
    assert sorted(batches(every, 4, seed=2)) == steps
    assert any(batches(every, 4, seed=2) != batches(every, 4, seed=n) for n in range(3, 9))
    assert batches(pairs("a", 3), 100, seed=1) == [[0, 1, 2]]
    assert sorted(batches([*pairs("a", 1), *pairs("b", 1)], 4, seed=1)) == [[0, 1], [1, 0]]


def weights(folder):
    return {
        which: safetensors.torch.load_file(folder / which / "model.safetensors")
        for which in ("context", "quotation")
    }


def run(tiny, work, epochs, report=lambda *_: None, **recipe):
    return training.train(
        tiny,
        work,
        pairs("a", 9),
        pairs("b", 4, start=5),
        settings=SMALL,
        recipe=Recipe(batch=4, epochs=epochs, rate=1e-3, patience=50, seed=3, **recipe),
        asked="cpu",
        report=report,
    )


def test_a_training_that_was_stopped_goes_on_to_the_same_curve_and_weights(tiny, tmp_path):
    whole = run(tiny, tmp_path / "whole", 4)
    steps = []

    def interrupted(epoch, step, total, loss):
        steps.append((epoch, step, total))
        if (epoch, step) == (3, 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tiny, tmp_path / "stopped", 4, interrupted)
    assert steps == [(1, 1, 3), (1, 2, 3), (1, 3, 3), (2, 1, 3), (2, 2, 3), (2, 3, 3), (3, 1, 3), (3, 2, 3)]
    again = run(tiny, tmp_path / "stopped", 4)
    assert again.curve == whole.curve
    assert [epoch.number for epoch in again.curve] == [1, 2, 3, 4]
    assert len({epoch.loss for epoch in whole.curve}) == 4
    last = tmp_path / "stopped/epoch-004", tmp_path / "whole/epoch-004"
    for which, found in weights(last[0]).items():
        assert all(torch.equal(value, weights(last[1])[which][name]) for name, value in found.items())
    with pytest.raises(BadInput, match="A training was begun in stopped with another recipe"):
        run(tiny, tmp_path / "stopped", 4, warmup=2)


def test_training_stops_when_validation_no_longer_falls(tiny, tmp_path):
    found = training.train(
        tiny,
        tmp_path,
        pairs("a", 6),
        pairs("b", 4, start=5),
        settings=SMALL,
        recipe=Recipe(batch=6, epochs=40, rate=0.02, patience=2),
        asked="cpu",
    )
    assert len(found.curve) == found.best.number + 2 < 40
    assert found.best.validation == min(epoch.validation for epoch in found.curve)
    assert found.folder.is_dir()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_loss_that_is_no_number_ends_training_with_a_sentence(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "in_batch_loss", lambda *_: torch.tensor(math.nan, requires_grad=True))
    with pytest.raises(BadInput, match="The loss is nan in epoch 1, step 1: training has diverged"):
        run(tiny, tmp_path, 1)
    assert not list(tmp_path.glob("epoch-*"))


@pytest.mark.parametrize(
    ("train_on", "validate_with", "says"),
    [
        (pairs("a", 1), pairs("b", 2), "There are 1 excerpts to train on; at least 2"),
        (pairs("a", 2), [], "There are 0 excerpts to validate with"),
        (pairs("a", 4), pairs("a", 2), "The book a is in both splits"),
    ],
)
def test_splits_that_teach_nothing_are_refused(tiny, tmp_path, train_on, validate_with, says):
    with pytest.raises(BadInput, match=says):
        training.train(tiny, tmp_path, train_on, validate_with, settings=SMALL, recipe=Recipe(), asked="cpu")


def test_a_recipe_out_of_range_is_named():
    with pytest.raises(BadInput, match="parameter rate is nan; it must be a number from 1e-09 to 1"):
        Recipe(rate=math.nan)
