"""A two-layer Llama of random weights with a byte-level tokeniser, in a folder: nothing is fetched."""

from __future__ import annotations

CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def write(folder, seed=3):
    """Write model and tokeniser, and return the folder."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {"<s>": 0, "</s>": 1, "<pad>": 2} | {each: n for n, each in enumerate(alphabet, 3)}
    bytes_ = Tokenizer(models.BPE(vocab=words, merges=[]))
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytes_, bos_token="<s>", eos_token="</s>", pad_token="<pad>", chat_template=CHAT
    )
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
            num_attention_heads=2, max_position_embeddings=512,
            bos_token_id=0, eos_token_id=1, pad_token_id=2,
        )
    )  # fmt: skip
    model.generation_config.eos_token_id = 1
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def token(folder, text):
    """The number of a one-letter token."""
    from transformers import AutoTokenizer

    (number,) = AutoTokenizer.from_pretrained(folder).encode(text, add_special_tokens=False)
    return number
