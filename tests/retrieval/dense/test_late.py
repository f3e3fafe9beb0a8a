"""Late interaction against a loop that can be read, over transformers' own states."""

import shutil
from functools import cache
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from tokenizers import Tokenizer

from common.errors import BadInput
from retrieval.candidates import pipeline, submitting
from retrieval.dense import checkpoints
from retrieval.engine.dense import late, ranker
from retrieval.engine.dense.settings import Settings
from retrieval.engine.dense.tokens import Tokeniser
from retrieval.engine.ranking import order, rankers
from retrieval.engine.text.tokens import GAP
from retrieval.jobs import queue
from retrieval.models import CandidateJob, Status
from tests import builders
from tests.retrieval.dense.later import safetensors_torch, torch, transformers
from tests.retrieval.dense.texts import BOOK, CONTEXTS

PASSAGES = [*(f"“{text}” she said; no." for text in BOOK[:12]), BOOK[3], "?!", BOOK[3]]


def unit(states):
    return states / np.linalg.norm(states, axis=1, keepdims=True)


@cache
def read_model(folder):
    return transformers.RobertaModel.from_pretrained(folder).eval()


def literal(folder, query, passage, *, drop, matrices=None):
    """MaxSim by its definition, one token at a time; nothing of ours but the sum."""
    words = Tokenizer.from_file(str(folder / "tokenizer.json"))
    left, _, right = query.partition(GAP)
    asked = [0, *(words.encode(left.rstrip(), add_special_tokens=False).ids), 4]
    asked += [*words.encode(f" {right.strip()}", add_special_tokens=False).ids, 2]
    own = [0, *words.encode(passage, add_special_tokens=False).ids[:96], 2]
    sides = []
    for which, ids in (("context", asked), ("quotation", own)):
        model = read_model(folder / which)
        with torch.inference_mode():
            states = model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()
        sides.append(unit(states @ matrices[which].T if matrices else states))
    kept = [n for n, token in enumerate(own) if not drop or words.decode([token]).strip() not in set(".;?!")]
    kept = [n for n in kept if n in (0, len(own) - 1) or words.decode([own[n]]).strip() not in ("“", "”")]
    if not drop:
        kept = range(len(own))
    return sum(max(float(c @ sides[1][n]) for n in kept) for c in sides[0])


def index(toy, toy_sha, passages=PASSAGES, punctuation="drop", **given):
    checkpoint = ranker.Checkpoint(toy, toy_sha, device="cpu", **given)
    return late.LateRanker().prepare(passages, {"checkpoint": checkpoint, "punctuation": punctuation})


@pytest.mark.parametrize("punctuation", ["drop", "keep"])
def test_scores_are_those_of_a_literal_loop(toy, toy_sha, punctuation, monkeypatch):
    monkeypatch.setattr(late, "BLOCK", 50)
    scores = index(toy, toy_sha, punctuation=punctuation).scores(CONTEXTS[:2])
    for row, query in zip(scores, CONTEXTS[:2], strict=True):
        expected = [literal(toy, query, text, drop=punctuation == "drop") for text in PASSAGES]
        # float16 keeps three digits of each product.
        assert row == pytest.approx(expected, abs=0.02)
    assert np.ptp(scores) > 1


def test_a_matrix_beside_the_weights_makes_the_vectors_shorter(toy, tmp_path):
    folder = shutil.copytree(toy, tmp_path / "colbert")
    numbers, matrices = np.random.default_rng(3), {}
    for which in ("context", "quotation"):
        file = folder / which / "model.safetensors"
        matrices[which] = numbers.normal(size=(8, 32)).astype(np.float32)
        weights = safetensors_torch.load_file(file) | {"linear.weight": torch.from_numpy(matrices[which])}
        safetensors_torch.save_file(weights, file)
    sha = ranker.dense_folder.fingerprint(folder)
    found = index(folder, sha)
    assert found.vectors.shape == (found.begins[-1], 8)
    expected = [literal(folder, CONTEXTS[0], text, drop=True, matrices=matrices) for text in PASSAGES[:3]]
    assert found.scores(CONTEXTS[:1])[0, :3] == pytest.approx(expected, abs=0.02)
    ranker.DenseRanker().prepare(PASSAGES, {"checkpoint": ranker.Checkpoint(folder, sha, device="cpu")})
    safetensors_torch.save_file(weights | {"linear.weight": torch.zeros(8, 16)}, file)
    with pytest.raises(BadInput, match=r"linear\.weight of colbert does not fit states of 32 numbers"):
        index(folder, ranker.dense_folder.fingerprint(folder))


def test_passages_that_read_the_same_tie_in_any_block_and_the_earlier_comes_first(toy, toy_sha, monkeypatch):
    whole = index(toy, toy_sha).scores(CONTEXTS)
    assert np.array_equal(whole[:, 12], whole[:, 14])
    ranked = order.top(whole[0], len(PASSAGES)).tolist()
    assert ranked.index(12) + 1 == ranked.index(14)
    for block in (1, 64):
        monkeypatch.setattr(late, "BLOCK", block)
        found = index(toy, toy_sha)
        assert found.scores(CONTEXTS) == pytest.approx(whole, rel=1e-5)
        assert np.array_equal(found.scores(CONTEXTS)[7], found.scores(CONTEXTS[7:8])[0])
    assert found.scores([]).shape == (0, len(PASSAGES))


def test_token_vectors_are_kept_as_float16_and_found_again(toy, toy_sha, tmp_path):
    told = []
    given = {"vectors": tmp_path, "progress": told.append}
    made = index(toy, toy_sha, **given).scores(CONTEXTS[:3])
    encoded = sum(each.verb == "Encoding" for each in told)
    assert encoded
    assert told[-1].verb == "Comparing"
    assert told[-1].texts == told[-1].of_texts == len(set(PASSAGES))
    assert np.array_equal(index(toy, toy_sha, **given).scores(CONTEXTS[:3]), made)
    assert sum(each.verb == "Encoding" for each in told) == encoded
    assert np.array_equal(index(toy, toy_sha).scores(CONTEXTS[:3]), made)
    (kept,) = tmp_path.iterdir()
    assert np.load(kept).dtype == np.float16
    found = index(toy, toy_sha, **given)
    kept.unlink()
    assert np.array_equal(found.scores(CONTEXTS[:3]), made)
    index(toy, toy_sha, punctuation="keep", **given)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:300])
    index(toy, toy_sha, punctuation="keep", **given)
    assert len(np.load(kept)) > 100


def test_who_stops_while_encoding_leaves_no_file(toy, toy_sha, tmp_path):
    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index(toy, toy_sha, vectors=tmp_path, progress=stop)
    assert not list(tmp_path.iterdir())


def test_who_stops_while_comparing_is_heard(toy, toy_sha):
    def stop(step):
        if step.verb == "Comparing":
            raise KeyboardInterrupt

    found = index(toy, toy_sha, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        found.scores(CONTEXTS[:1])


def test_punctuation_is_signs_alone(toy):
    tokeniser = Tokeniser(toy, "roberta", 10_000)
    signs = tokeniser.punctuation()
    words = Tokenizer.from_file(str(toy / "tokenizer.json"))
    found = {words.id_to_token(at) for at in np.flatnonzero(signs).tolist()}
    assert {".", ",", "!", "(", "-", "$"} <= found
    assert not found & {"<s>", "</s>", "<mask>", "a", "Ġ", "1"}
    # The first byte of a letter such as é is no sign.
    assert words.id_to_token(words.encode("é").ids[0]) not in found


def test_the_ranker_refuses_what_it_cannot_rank(toy, toy_sha):
    with pytest.raises(BadInput, match="The ranker late needs a checkpoint"):
        late.LateRanker().prepare(PASSAGES, {})
    with pytest.raises(BadInput, match="punctuation is 'lose'; it must be one of: drop, keep"):
        index(toy, toy_sha, punctuation="lose")
    with pytest.raises(BadInput, match="no passage"):
        index(toy, toy_sha, passages=[])
    assert rankers.get("late").label.startswith("Late interaction")


@pytest.mark.django_db
def test_a_job_of_late_interaction_is_resumed_to_the_same_rows(toy, settings, tmp_path):
    settings.DATA_DIR, settings.DEVICE = tmp_path, "cpu"
    book, critic = builders.book(), builders.source()
    for first in (3, 9, 15):
        builders.excerpt(book, critic, first=first)
    checkpoints.add(toy, slug="toy")
    out = StringIO()
    call_command(
        "generate",
        "--book=boats",
        "--ranker=late",
        "--set=punctuation=keep",
        "--wait",
        stdout=out,
        stderr=out,
    )
    assert "Done: 9 candidates for 3 excerpts." in out.getvalue()
    whole = CandidateJob.objects.get()
    assert (whole.status, whole.parameters["punctuation"]) == (Status.DONE, "keep")
    again = submitting.submit(book, ranker="late", parameters={"punctuation": "keep"})
    claimed, calls = queue.claim(again.pk, "one"), []

    def once(job):
        calls.append(job.done)
        return len(calls) < 2

    with pytest.raises(pipeline.Interrupted):
        pipeline.run(claimed, go_on=once, chunk=1)
    assert (again.matched.count(), again.candidates.count()) == (1, 0)
    pipeline.run(claimed, chunk=2)
    rows = [
        list(job.candidates.order_by("excerpt", "rank").values_list("excerpt", "rank", "first", "scores"))
        for job in (whole, again)
    ]
    assert rows[0] == rows[1]
    call_command("compare_rankers", "--book=boats", "--rankers=bm25,late:toy", "--resamples=100", stdout=out)
    assert "late:toy 4/4" in out.getvalue()


def test_settings_of_pooling_say_nothing_to_it(toy, toy_sha):
    mean = index(toy, toy_sha, settings=Settings(pooling="mean")).scores(CONTEXTS[:2])
    assert np.array_equal(mean, index(toy, toy_sha).scores(CONTEXTS[:2]))
