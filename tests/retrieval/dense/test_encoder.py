"""The encoders against transformers' own models, one text at a time, without any code of ours between."""

import shutil

import numpy as np
import pytest
from tokenizers import Tokenizer

from common.errors import BadInput
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import ranker
from retrieval.engine.dense.batches import by_budget
from retrieval.engine.dense.progress import EncodingProgress
from retrieval.engine.dense.settings import Settings, checked
from retrieval.engine.dense.tokens import Tokeniser
from retrieval.engine.ranking import order
from retrieval.engine.text.tokens import GAP
from tests.retrieval.dense.later import dense_encoder, dense_toy, torch, transformers
from tests.retrieval.dense.texts import BOOK, CONTEXTS

LEFT = [context.partition(GAP)[0].rstrip() for context in CONTEXTS]
RIGHT = [context.partition(GAP)[2] for context in CONTEXTS]
NEAR = 1e-5  # of numbers around 1: processors add float32 up in different orders


def reference(folder, which, ids, pooling="first"):
    """transformers' own vectors of token ids, loaded by its own loader, one text at a time."""
    model = transformers.RobertaModel.from_pretrained(folder / which).eval()
    rows = []
    with torch.inference_mode():
        for each in ids:
            output = model(input_ids=torch.tensor([each]))
            states = output.last_hidden_state[0]
            rows.append(
                {"first": states[0], "pooler": output.pooler_output[0], "mean": states.mean(0)}[pooling]
            )
    return torch.stack(rows).numpy()


def tokens(folder, text, limit):
    tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return [0, *tokeniser.encode(text, add_special_tokens=False).ids[: limit - 2], 2]


def cosine(one, other):
    return (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


@pytest.mark.parametrize("pooling", ["first", "pooler", "mean"])
def test_vectors_are_those_of_transformers_one_text_at_a_time_in_input_order(toy, pooling):
    encoder = dense_encoder.Encoder(toy, Settings(pooling=pooling), asked="cpu", budget=128)
    expected = reference(toy, "quotation", [tokens(toy, text, 98) for text in BOOK], pooling)
    assert np.abs(encoder.quotations(BOOK) - expected).max() < NEAR
    shuffled = np.random.default_rng(5).permutation(len(BOOK))
    assert np.abs(encoder.quotations([BOOK[n] for n in shuffled]) - expected[shuffled]).max() < NEAR


def test_contexts_hold_the_mask_between_left_and_right(toy):
    encoder = dense_encoder.Encoder(toy, Settings(), asked="cpu")
    whole = [
        tokens(toy, f"{left} <mask> {right.strip()}", 256) for left, right in zip(LEFT, RIGHT, strict=True)
    ]
    assert all(ids.count(4) == 1 for ids in whole)
    expected = reference(toy, "context", whole)
    assert np.abs(encoder.contexts(CONTEXTS) - expected).max() < NEAR
    ids = encoder.tokeniser.contexts(CONTEXTS, encoder.settings)
    assert np.abs(encoder.encode("context", ids) - expected).max() < NEAR


@pytest.mark.parametrize(("precision", "least"), [("bf16", 0.999), ("int8", 0.995)])
def test_lower_precisions_stay_near(toy, precision, least):
    exact = dense_encoder.Encoder(toy, Settings(), asked="cpu").quotations(BOOK)
    lower = dense_encoder.Encoder(toy, Settings(), precision=precision, asked="cpu").quotations(BOOK)
    assert cosine(exact, lower).min() >= least
    assert not np.array_equal(exact, lower)


def test_cosine_makes_vectors_of_length_one(toy):
    settings = Settings(pooling="mean", similarity="cosine", gap="space")
    vectors = dense_encoder.Encoder(toy, settings, asked="cpu").quotations(BOOK)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    plain = reference(toy, "quotation", [tokens(toy, text, 98) for text in BOOK], "mean")
    assert np.allclose(cosine(vectors, plain), 1, atol=1e-5)


def test_a_bert_of_one_tower_serves_both_sides(tmp_path, toy):
    config = transformers.BertConfig(
        vocab_size=600,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        pad_token_id=1,
    )
    folder = tmp_path / "bert"
    dense_toy.save(transformers.BertModel(config), folder)
    words = (toy / "tokenizer.json").read_text()
    for ours, theirs in (("<s>", "[CLS]"), ("</s>", "[SEP]"), ("<mask>", "[MASK]")):
        words = words.replace(f'"{ours}"', f'"{theirs}"')
    (folder / "tokenizer.json").write_text(words)
    encoder = dense_encoder.Encoder(folder, Settings(gap="space"), asked="cpu")
    model = transformers.BertModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        ids = tokens(folder, BOOK[5], 98)
        expected = model(input_ids=torch.tensor([ids])).last_hidden_state[0, 0].numpy()
    assert np.abs(encoder.quotations(BOOK[5:6])[0] - expected).max() < NEAR
    assert np.abs(encoder.contexts(BOOK[5:6])[0] - expected).max() < NEAR


def test_a_context_is_cut_symmetrically_round_the_mask(toy):
    tokeniser = Tokeniser(toy, "roberta", 10_000)
    settings = Settings(context_tokens=16)

    def sides(left, right):
        (ids,) = tokeniser.contexts([f"{' the' * left} {GAP}{' the' * right}"], settings)
        at = ids.tolist().index(4)
        assert (ids[0], ids[-1]) == (0, 2)
        return at - 1, ids.size - at - 2

    assert sides(50, 50) == (6, 7)
    assert sides(2, 50) == (2, 11)
    assert sides(50, 2) == (11, 2)
    assert sides(3, 3) == (3, 3)
    assert sides(0, 0) == (0, 0)


def test_a_critic_who_writes_the_mask_writes_no_gap(toy):
    tokeniser = Tokeniser(toy, "roberta", 10_000)
    (ids,) = tokeniser.contexts([f"He writes <mask> and </s>. {GAP}"], Settings())
    assert (ids == 4).sum() == 1
    assert (ids == 2).sum() == 1


def test_batches_hold_the_budget_and_hardly_any_padding():
    lengths = np.random.default_rng(1).gamma(2.0, 11.0, size=3000).astype(int).clip(3, 171).tolist()
    batches = by_budget(lengths, 1024)
    assert sorted(np.concatenate(batches).tolist()) == list(range(3000))
    assert all(max(lengths[at] for at in batch) * batch.size <= 1024 for batch in batches)
    padded = sum(max(lengths[at] for at in batch) * batch.size for batch in batches)
    assert padded <= 1.05 * sum(lengths)
    assert by_budget([5000, 2], 1024)[0].tolist() == [0]
    assert by_budget([], 1024) == []


def test_out_of_memory_halves_the_batch_and_goes_on(toy, monkeypatch):
    encoder = dense_encoder.Encoder(toy, Settings(), asked="cpu", budget=2000)
    expected = encoder.quotations(BOOK)
    forward, tried = encoder._forward, []

    def small_card(which, ids, batch, keep):
        tried.append(batch.size)
        if sum(ids[at].size for at in batch) > 90:
            raise torch.OutOfMemoryError("CUDA out of memory")
        forward(which, ids, batch, keep)

    monkeypatch.setattr(encoder, "_forward", small_card)
    assert np.abs(encoder.quotations(BOOK) - expected).max() < NEAR
    assert max(tried) > 20
    assert encoder.budget < 1000
    with pytest.raises(torch.OutOfMemoryError):
        encoder.quotations([" ".join(BOOK)])


def index(toy, toy_sha, **given):
    checkpoint = ranker.Checkpoint(toy, toy_sha, device="cpu", **given)
    return ranker.DenseRanker().prepare(BOOK, {"checkpoint": checkpoint})


def test_top_k_is_that_of_a_full_sort_in_float64_under_the_tie_rule(toy, toy_sha):
    found = index(toy, toy_sha)
    vectors = found.vectors[found.which].astype(np.float64)
    for query in CONTEXTS[:5]:
        context = found.encoder.contexts([query])[0].astype(np.float64)
        exact = vectors @ context
        expected = np.lexsort((np.arange(len(BOOK)), -exact))[:11]
        steps = -np.diff(exact[expected])
        # Nowhere so near that float32 could turn them round; passages that read the same tie.
        assert all(step == 0 or step > 5e-5 for step in steps)
        assert order.top(found.scores([query])[0], 10).tolist() == expected[:10].tolist()


@pytest.mark.parametrize("times", [2, 16, 33])
def test_repeated_passages_tie_wherever_they_stand_and_the_earlier_comes_first(toy, toy_sha, tmp_path, times):
    checkpoint = ranker.Checkpoint(toy, toy_sha, device="cpu", vectors=tmp_path)
    repeated = [BOOK[3], BOOK[9]] * times + [BOOK[7]]
    for _ in ("made", "found"):
        scores = ranker.DenseRanker().prepare(repeated, {"checkpoint": checkpoint}).scores(CONTEXTS)
        assert scores.shape == (len(CONTEXTS), 2 * times + 1)
        for row in scores:
            assert len({*row[0:-1:2]}) == len({*row[1:-1:2]}) == 1
            assert len({*row}) == 3
            places = order.top(row, 2 * times + 1).tolist()
            assert [at for at in places if at % 2] == list(range(1, 2 * times, 2))
            assert [at for at in places if at % 2 == 0 and at < 2 * times] == list(range(0, 2 * times, 2))


def test_a_query_scores_the_same_bits_alone_and_among_others(toy, toy_sha):
    found = index(toy, toy_sha)
    together = found.scores(CONTEXTS)
    assert np.array_equal(together[7], found.scores(CONTEXTS[7:8])[0])
    assert found.scores([]).shape == (0, len(BOOK))


def test_the_nearest_of_many_contexts_are_those_of_each(toy, toy_sha):
    found = index(toy, toy_sha)
    contexts = found.encoder.contexts(CONTEXTS)
    exact = contexts.astype(np.float64) @ found.vectors.T.astype(np.float64)
    for row, places in zip(exact, ranker.nearest(contexts, found.vectors, 5), strict=True):
        assert row[places].tolist() == pytest.approx(row[order.top(row, 5)].tolist(), abs=2e-4)


def test_vectors_found_on_disk_give_the_same_bits_and_encode_nothing(toy, toy_sha, tmp_path):
    calls = []
    checkpoint = ranker.Checkpoint(toy, toy_sha, device="cpu", vectors=tmp_path, progress=calls.append)
    made, again = (ranker.DenseRanker().prepare(BOOK, {"checkpoint": checkpoint}) for _ in range(2))
    assert np.array_equal(made.scores(CONTEXTS), again.scores(CONTEXTS))
    once = [tokens(toy, text, 98) for text in dict.fromkeys(BOOK)]
    number = sum(map(len, once))
    assert calls[-1] == EncodingProgress("Encoding", len(once), len(once), number, number)
    assert sum(done.texts == len(once) for done in calls) == 1
    (kept,) = tmp_path.iterdir()
    assert np.load(kept).dtype == np.float16
    kept.write_bytes(kept.read_bytes()[:200])
    assert np.array_equal(
        ranker.DenseRanker().prepare(BOOK, {"checkpoint": checkpoint}).vectors, made.vectors
    )
    other = {"checkpoint": ranker.Checkpoint(toy, toy_sha, Settings(pooling="mean"), "cpu", tmp_path)}
    ranker.DenseRanker().prepare(BOOK, other)
    ranker.DenseRanker().prepare(BOOK[:-1], {"checkpoint": checkpoint})
    assert len(list(tmp_path.iterdir())) == 3


def test_a_gpu_asked_for_where_none_is_is_refused_in_a_sentence(toy, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(BadInput, match="VARIORUM_DEVICE is cuda, but this worker sees no CUDA GPU"):
        dense_encoder.Encoder(toy, Settings(), asked="cuda")
    assert dense_encoder.device("auto").type == "cpu"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"pooling": "last"}, "pooling is 'last'; it must be one of: first, pooler, mean"),
        ({"context_tokens": 5}, "context_tokens is 5; it must be a whole number from 8 to 512"),
        ({"layers": 5}, "no encoder setting 'layers'"),
    ],
)
def test_wrong_settings_are_named(given, says):
    with pytest.raises(BadInput, match=says):
        checked(given)


def test_a_limit_beyond_the_encoder_s_positions_is_refused(toy):
    with pytest.raises(BadInput, match="context_tokens is 400, but the encoder of toy reads 258 at most"):
        dense_encoder.Encoder(toy, Settings(context_tokens=400), asked="cpu")


def test_a_checkpoint_that_changed_since_it_was_allowed_is_not_read(toy):
    checkpoint = ranker.Checkpoint(toy, "0" * 64, device="cpu")
    with pytest.raises(BadInput, match="has changed: its sha256 begins with"):
        ranker.DenseRanker().prepare(BOOK, {"checkpoint": checkpoint})


def test_weights_and_tokenisers_of_another_model_are_refused(toy, tmp_path):
    folder = shutil.copytree(toy, tmp_path / "mixed")
    small = dense_toy.random_model(100, dense_toy.Shape(width=32, layers=2, heads=2), 1)
    shutil.rmtree(folder / "quotation")
    dense_toy.save(small, folder / "quotation")
    with pytest.raises(BadInput, match="The encoders of mixed differ in vocab_size"):
        dense_encoder.Encoder(folder, Settings(), asked="cpu")
    shutil.rmtree(folder / "context")
    dense_toy.save(small, folder / "context")
    with pytest.raises(BadInput, match="it is another model's tokeniser"):
        dense_encoder.Encoder(folder, Settings(), asked="cpu")
    (folder / "context/model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}")
    with pytest.raises(BadInput, match=r"model\.safetensors cannot be read"):
        dense_encoder.Encoder(folder, Settings(), asked="cpu")
    assert dense_folder.fingerprint(folder) != dense_folder.fingerprint(toy)
