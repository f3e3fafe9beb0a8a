"""Small BERTs with random weights and a WordPiece tokeniser, in the layouts of published encoders."""

import json

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from tests.retrieval.dense.later import dense_toy, safetensors_torch, torch, transformers

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tokeniser(texts):
    """As BERT's uncased one; with the padding and truncation that published files carry along."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=300, special_tokens=SPECIAL, show_progress=False)
    )
    made.enable_truncation(16)
    made.enable_padding(length=16)
    return made


def model(words, seed=1):
    config = transformers.BertConfig(
        vocab_size=words.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
        pad_token_id=0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return transformers.BertModel(config, add_pooling_layer=True).eval()


def sentence_encoder(folder, texts):
    """A folder as sentence-transformers writes it: mean of the tokens, made of length 1, 256 tokens."""
    words = tokeniser(texts)
    dense_toy.save(model(words), folder)
    words.save(str(folder / "tokenizer.json"))
    steps = ["Transformer", "Pooling", "Normalize"]
    modules = [
        {"idx": n, "name": str(n), "path": f"{n}_{step}" if n else "", "type": f"st.models.{step}"}
        for n, step in enumerate(steps)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(
        json.dumps({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
    )
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 256, "do_lower_case": false}')
    (folder / "README.md").write_text("A model card.")
    (folder / ".gitattributes").write_text("*.bin filter=lfs")
    return folder


def dpr(folder, texts):
    """Two encoders as DPR was published: a BERT inside each, under a name of its own."""
    words = tokeniser(texts)
    folder.mkdir()
    words.save(str(folder / "tokenizer.json"))
    for seed, (tower, name) in enumerate((("context", "question_encoder"), ("quotation", "ctx_encoder"))):
        made = model(words, seed)
        dense_toy.save(made, folder / tower)
        config = json.loads((folder / tower / "config.json").read_text())
        config |= {"model_type": "dpr", "projection_dim": 0, "architectures": ["DPRContextEncoder"]}
        (folder / tower / "config.json").write_text(json.dumps(config))
        weights = {
            f"{name}.bert_model.{key}": value.contiguous()
            for key, value in made.state_dict().items()
            if not key.startswith("pooler.")
        }
        safetensors_torch.save_file(weights, folder / tower / "model.safetensors")
    return folder


def realm(folder, texts, width=12):
    """A BERT with a projection, as REALM's published embedder is laid out, its other head too."""
    words = tokeniser(texts)
    made = model(words)
    dense_toy.save(made, folder)
    words.save(str(folder / "tokenizer.json"))
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "realm", "retriever_proj_size": width, "pad_token_id": 1}
    (folder / "config.json").write_text(json.dumps(config))
    drawn = torch.Generator().manual_seed(5)
    weights = {f"realm.{name}": value.contiguous() for name, value in made.state_dict().items()}
    weights |= {
        "cls.dense.weight": torch.randn(width, 32, generator=drawn),
        "cls.dense.bias": torch.randn(width, generator=drawn),
        "cls.LayerNorm.weight": torch.randn(width, generator=drawn),
        "cls.LayerNorm.bias": torch.randn(width, generator=drawn),
        "cls.predictions.bias": torch.zeros(words.get_vocab_size()),
    }
    safetensors_torch.save_file(weights, folder / "model.safetensors")
    return folder
