"""The researcher's pages: studies, their people, items and guidelines, exports, keys for scripts."""
