"""Training, held to loops that can be read, and to itself where it was stopped."""

import math

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.dense.settings import Settings
from retrieval.engine.text.tokens import GAP
from retrieval.engine.training.callbacks import Callbacks
from retrieval.engine.training.pairs import Pair, Wrong, batches, overlaps, steps
from retrieval.engine.training.recipe import Recipe
from tests.retrieval.dense.later import dense_toy, safetensors_torch, torch, training
from tests.retrieval.dense.spread import spread
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
    return spread(dense_toy.write(tmp_path_factory.mktemp("models") / "tiny", BOOK, seed=5, shape=shape))


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
    assert float(training.in_batch_loss(left, right)) == pytest.approx(
        literal(contexts, quotations), rel=1e-12
    )
    assert float(training.in_batch_loss(left, right, torch.tensor(masked))) == pytest.approx(
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
        found.append((float(loss.detach()), gradients(made)))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    assert apart(found[0][1], found[1][1]) < 1e-4


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
            on: [float(training.in_batch_loss(left[[i]], shifted(right, i), mask)) for i, mask in each]
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
        which: safetensors_torch.load_file(folder / which / "model.safetensors")
        for which in ("context", "quotation")
    }


def run(tiny, work, epochs, watch=None, **recipe):
    return training.train(
        tiny,
        work,
        pairs("a", 9),
        pairs("b", 4, start=5),
        settings=SMALL,
        recipe=Recipe(batch=4, epochs=epochs, rate=1e-3, patience=50, seed=3, **recipe),
        asked="cpu",
        watch=watch,
    )


class Told(Callbacks):
    """Keeps what it is told, and stops a training after a step."""

    def __init__(self, stop=None):
        self.stop, self.began, self.parts, self.steps, self.epochs = stop, [], [], [], []

    def begin(self, curve, device):
        self.began.append((len(curve), device))

    def part(self, tokens):
        self.parts.append(tokens)

    def step(self, epoch, step, steps, loss):
        self.steps.append((epoch, step, steps))
        if (epoch, step) == self.stop:
            raise KeyboardInterrupt

    def kept(self, curve):
        self.epochs.append(tuple(curve))


def test_whoever_watches_hears_of_every_part_forward_and_backward(tiny, tmp_path, monkeypatch):
    """A step of a large model takes minutes on a CPU: a lease must be renewed within it, both ways."""
    monkeypatch.setattr("retrieval.engine.training.loop.CPU_BUDGET", 80)
    told = Told()
    found = run(tiny, tmp_path, 2, told)
    assert told.began == [(0, "cpu")]
    assert told.epochs == [found.curve[:1], found.curve]
    learned = [tokens for tokens in told.parts if tokens]
    assert told.parts.count(0) == len(learned) - len(validated(tiny)) * 2
    made = trainer(tiny)
    whole = 0
    for epoch in (1, 2):
        for step in batches(pairs("a", 9), 4, 3 * 1_000_003 + epoch):
            chosen = [pairs("a", 9)[at] for at in step]
            whole += sum(ids.size for ids in made.tokeniser.contexts([each.query for each in chosen], SMALL))
            whole += sum(
                ids.size for ids in made.tokeniser.quotations([each.quotation for each in chosen], SMALL)
            )
    assert sum(learned) == whole + 2 * sum(validated(tiny))
    run(tiny, tmp_path, 2, told)
    assert told.began[1:] == [(2, "cpu")]


def validated(tiny):
    """The tokens of each part when the validation split is read."""
    told = Told()
    made = training.Trainer(tiny, SMALL, Recipe(batch=4), torch.device("cpu"), told)
    made.validate(pairs("b", 4, start=5))
    return told.parts


def test_a_training_that_was_stopped_goes_on_to_the_same_curve_and_weights(tiny, tmp_path):
    whole = run(tiny, tmp_path / "whole", 4)
    told = Told(stop=(3, 2))
    with pytest.raises(KeyboardInterrupt):
        run(tiny, tmp_path / "stopped", 4, told)
    assert told.steps == [
        (1, 1, 3),
        (1, 2, 3),
        (1, 3, 3),
        (2, 1, 3),
        (2, 2, 3),
        (2, 3, 3),
        (3, 1, 3),
        (3, 2, 3),
    ]
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
    monkeypatch.setattr(
        "retrieval.engine.training.loop.in_batch_loss", lambda *_: torch.tensor(math.nan, requires_grad=True)
    )
    with pytest.raises(BadInput, match="The loss is nan in epoch 1, step 1: training has diverged"):
        run(tiny, tmp_path, 1)
    assert not list(tmp_path.glob("epoch-*"))


def test_a_validation_loss_that_is_no_number_is_not_kept(tiny, tmp_path, monkeypatch):
    """The loss before the last step may be sound, and the weights after it lost."""
    monkeypatch.setattr(training.Trainer, "validate", lambda *_: math.nan)
    with pytest.raises(BadInput, match="validation loss is nan after epoch 1: training has diverged"):
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


def gradients(made):
    return {
        f"{which}.{name}": weight.grad.clone()
        for which, tower in made.towers.items()
        for name, weight in tower.named_parameters()
        if weight.grad is not None
    }


def apart(one, other):
    """The largest difference, as a share of the largest gradient: how processors add up differs by less."""
    assert one.keys() == other.keys()
    largest = max(float(each.abs().max()) for each in one.values())
    return max(float((one[name] - other[name]).abs().max()) for name in one) / largest


@pytest.mark.parametrize("sub_batch", [1, 3, 500])
@pytest.mark.parametrize("grouped", [True, False])
def test_cached_gradients_are_those_of_the_plain_step_with_the_same_numbers_dropped(tiny, grouped, sub_batch):
    chosen = [*pairs("a", 6), Pair("a", CONTEXTS[9], BOOK[3], 3, 1, (Wrong(30, BOOK[7]),))]
    made = trainer(tiny, sub_batch=sub_batch, grouped=grouped, mask_overlaps=True, hard_negatives=True)
    made._mode(training=True)
    found, after = [], []
    for step in (lambda: made.loss(chosen).backward(), lambda: made.learn(chosen)):
        torch.manual_seed(11)
        made.optimizer.zero_grad(set_to_none=True)
        step()
        found.append(gradients(made))
        after.append(torch.rand(1).item())
    assert after[0] == after[1]
    assert apart(found[0], found[1]) < 1e-4
    torch.manual_seed(12)
    made.optimizer.zero_grad(set_to_none=True)
    made.learn(chosen)
    # Other numbers dropped, other gradients: the same seed is what made them equal.
    assert apart(found[0], gradients(made)) > 0.01


def test_without_dropout_the_size_of_the_parts_changes_no_gradient(tiny):
    found = []
    for sub_batch in (0, 1, 4):
        made = trainer(tiny, sub_batch=sub_batch)
        loss = made.learn(pairs("a", 9))
        found.append((float(loss), gradients(made)))
    for loss, each in found[1:]:
        assert loss == pytest.approx(found[0][0], rel=1e-5)
        assert apart(found[0][1], each) < 1e-4


def test_gradient_caching_encodes_no_more_texts_at_once_than_asked(tiny):
    made, sizes = trainer(tiny, sub_batch=2, grouped=False), []
    for tower in made.towers.values():
        tower.register_forward_hook(lambda _, __, output: sizes.append(len(output.last_hidden_state)))
    made.learn(pairs("a", 5))
    assert sizes == [2, 2, 1] * 4


def test_a_training_with_cached_gradients_is_the_plain_one(toy, tmp_path):
    plain, cached = (run(toy, tmp_path / str(n), 2, sub_batch=n) for n in (0, 2))
    for one, other in zip(plain.curve, cached.curve, strict=True):
        assert other == pytest.approx(one, rel=1e-4)


def mixed(book, number, start=0):
    return [
        pair._replace(others=(f"{GAP} {CONTEXTS[at]}",))
        for at, pair in enumerate(pairs(book, number, start), start=1)
    ]


def test_each_context_size_makes_steps_of_its_own_and_drawn_one_a_pair():
    every = mixed("a", 7)
    plain = batches(every, 4, seed=1)
    each = steps(every, 4, seed=1)
    assert len(each) == 2 * len(plain) == 4
    for which, size in enumerate((lambda pair: pair.query, lambda pair: pair.others[0])):
        for batch in plain:
            wanted = [size(every[at]) for at in batch]
            assert sum([pair.query for pair in step] == wanted for step in each) == 1, which
    assert all(not pair.others and len(step) == 4 for step in each for pair in step)
    assert steps(every, 4, seed=1) == each
    assert any(steps(every, 4, seed=n) != each for n in range(2, 6))
    drawn = steps(every, 4, seed=1, mixing="drawn")
    assert [[pair.first for pair in step] for step in drawn] == [[every[at].first for at in b] for b in plain]
    whole = {pair.first: pair for pair in every}
    long = [pair.query == whole[pair.first].others[0] for step in drawn for pair in step]
    assert 0 < sum(long) < len(long)
    # A quotation that tops up another step has one context an epoch.
    assert len({pair for step in drawn for pair in step}) == 7
    assert steps(every, 4, seed=1, mixing="drawn") == drawn
    assert len({str(steps(every, 4, seed=n, mixing="drawn")) for n in range(8)}) > 4
    assert steps(pairs("a", 7), 4, seed=1) == [[pairs("a", 7)[at] for at in batch] for batch in plain]


@pytest.mark.parametrize("mixing", ["each", "drawn"])
def test_a_training_with_mixed_contexts_goes_on_to_the_same_curve(tiny, tmp_path, mixing):
    recipe = Recipe(batch=4, epochs=3, rate=1e-3, patience=50, seed=3, mixing=mixing)
    split = mixed("a", 9), mixed("b", 4, start=5)

    def fit(work, watch=None):
        return training.train(
            tiny, work, *split, settings=SMALL, recipe=recipe, asked="cpu", watch=watch
        ).curve

    whole = fit(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "stopped", Told(stop=(2, 2)))
    assert fit(tmp_path / "stopped") == whole
    assert whole != run(tiny, tmp_path / "plain", 3).curve


def test_a_mixing_of_another_name_is_refused():
    with pytest.raises(BadInput, match="mixing is 'both'; it must be one of: each, drawn"):
        Recipe(mixing="both")


def test_a_step_that_does_not_fit_into_memory_is_learned_in_halves_to_the_same_gradients(toy, monkeypatch):
    plain = trainer(toy)
    expected = float(plain.learn(pairs("a", 9)))
    made, sizes, encode = trainer(toy), [], training.Trainer._encode

    def too_small(self, which, ids, batch):
        sizes.append((len(batch), self.sub_batch))
        if len(batch) > 3 or not self.sub_batch:
            raise torch.OutOfMemoryError("so much and no more")
        return encode(self, which, ids, batch)

    monkeypatch.setattr(training.Trainer, "_encode", too_small)
    assert float(made.learn(pairs("a", 9))) == pytest.approx(expected, rel=1e-5)
    assert apart(gradients(plain), gradients(made)) < 1e-4
    assert made.sub_batch == 3
    sizes.clear()
    made.learn(pairs("a", 9))
    assert max(size for size, _ in sizes) == 3


def test_one_text_that_does_not_fit_ends_the_training_with_its_cause(toy, monkeypatch):
    def too_small(self, which, ids, batch):
        raise torch.OutOfMemoryError("so much and no more")

    monkeypatch.setattr(training.Trainer, "_encode", too_small)
    with pytest.raises(torch.OutOfMemoryError, match="so much and no more"):
        trainer(toy).learn(pairs("a", 9))
