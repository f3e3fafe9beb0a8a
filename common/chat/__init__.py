"""What is asked of a language model, and what it replies; asked once more where it could not be read."""

from common.chat.values import SYSTEM, USER, Ask, Message, Reply, Request

__all__ = ["SYSTEM", "USER", "Ask", "Message", "Reply", "Request"]
